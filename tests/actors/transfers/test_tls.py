"""Lanes between machines that are encrypted: who may open one, and what the network sees."""

from __future__ import annotations

import logging
import select
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.ray.links.lanes import encryption_for
from dataflow.actors.transfers.lanes.door import Door, connect
from dataflow.actors.transfers.lanes.frames import message_head
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.tls import Encryption, TlsFiles, tls_files
from dataflow.actors.wire.codec import encode_frames
from dataflow.actors.wire.messages import AbortStep, LaneOffer, SendTensor
from dataflow.errors import ErrorReport
from dataflow.proto.config_pb2 import ConfigProto
from tests.actors.transfers.certificates import Authority
from tests.actors.transfers.descriptors import open_descriptors
from tests.actors.transfers.lines import tls_lines
from tests.ray.actors import eventually

DEVICE = "the device"
TEXT = b"nobody on the network reads this"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def encryption(authority: Authority) -> Encryption:
    return Encryption(authority.files())


class House:
    """A door to other machines, and who came in."""

    def __init__(self, encryption: Encryption | None) -> None:
        self.came: list[Line] = []
        self._door = Door(DEVICE, "node", "127.0.0.1", self._enter, encryption)
        self.offer = self._door.offer("elsewhere")

    def _enter(self, line: Line, name: str) -> None:
        assert name == "guest"
        self.came.append(line)

    def close(self) -> None:
        self._door.close()
        for line in self.came:
            line.sock.close()


@pytest.fixture
def house(encryption: Encryption) -> Iterator[House]:
    before, threads = open_descriptors(), set(threading.enumerate())
    made = House(encryption)
    yield made
    made.close()
    assert eventually(lambda: not set(threading.enumerate()) - threads)
    assert eventually(lambda: open_descriptors() <= before)


@pytest.fixture
def plain() -> Iterator[House]:
    made = House(None)
    yield made
    made.close()


def arrived(house: House, ours: Line) -> bytes:
    """Sends a text and an array over a lane, both ways; gives the text as it has arrived."""
    assert eventually(lambda: house.came)
    ends = [Lane(line, "peer", lambda _: None, owns=True) for line in (ours, house.came[-1])]
    large = np.arange(300_000, dtype=np.float32)
    texts = []
    for sender, taker in (ends, ends[::-1]):
        for value in (np.array([TEXT], object), large):
            sender.send(SendTensor(1, "k", value))
            found = taker.read()
            while not found:
                sender.resume()
                found = taker.read()
            (message,) = found
            assert isinstance(message, SendTensor)
            texts.append(message.value)
    np.testing.assert_array_equal(texts[1], large)
    np.testing.assert_array_equal(texts[3], large)
    for end in ends:
        end.close()
    assert texts[0][0] == texts[2][0]
    return bytes(texts[0][0])


class Tap:
    """Somebody on the network who passes everything on and keeps a copy."""

    def __init__(self, offer: LaneOffer) -> None:
        self.heard = bytearray()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.offer = replace(offer, port=self._listener.getsockname()[1])
        self._behind = (offer.host, offer.port)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        front, _ = self._listener.accept()
        with front, socket.create_connection(self._behind) as back:
            threads = [
                threading.Thread(target=self._pump, args=pair)
                for pair in ((front, back), (back, front))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self.heard += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        self._thread.join(30)
        self._listener.close()


def test_the_network_reads_nothing(house: House, plain: House, encryption: Encryption) -> None:
    for each, by in ((house, encryption), (plain, None)):
        assert each.offer.encrypted == (by is not None)
        tap = Tap(each.offer)
        assert arrived(each, connect(tap.offer, "guest", DEVICE, by)) == TEXT
        tap.close()
        assert len(tap.heard) > 2_400_000
        assert (TEXT in tap.heard) == (by is None)
        assert each.offer.secret not in tap.heard


def test_an_end_that_encrypts_and_one_that_does_not_say_so(
    house: House, plain: House, encryption: Encryption
) -> None:
    with pytest.raises(errors.FailedPreconditionError, match=r"takes encrypted ones only.*rpc_opt"):
        connect(house.offer, "guest", DEVICE)
    with pytest.raises(errors.FailedPreconditionError, match="takes unencrypted ones only"):
        connect(plain.offer, "guest", DEVICE, encryption)


def test_an_offer_that_lies_about_encryption_opens_nothing(
    house: House, plain: House, encryption: Encryption, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "dataflow")
    with pytest.raises(errors.UnavailableError, match="No connection to the device"):
        connect(replace(house.offer, encrypted=False), "guest", DEVICE)
    assert eventually(lambda: "it does not encrypt, which this end was asked to do" in caplog.text)
    with pytest.raises(errors.UnavailableError, match="No connection to the device"):
        connect(replace(plain.offer, encrypted=True), "guest", DEVICE, encryption)
    assert eventually(lambda: "it encrypts (TLS), which this end was not asked" in caplog.text)
    assert house.came == plain.came == []


@pytest.mark.parametrize("what", ["another authority", "run out", "another secret"])
def test_who_has_no_good_certificate_or_secret_is_refused(
    house: House,
    authority: Authority,
    what: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "dataflow")
    files, offer = authority.files("good"), house.offer
    if what == "another authority":
        # Which is trusted here, so that it is the house that refuses.
        files = Authority(tmp_path, "other").files()._replace(authority=authority.path)
    elif what == "run out":
        files = authority.files("old", days=-1)
    else:
        offer = replace(offer, secret=bytes(32))
    with pytest.raises(errors.UnavailableError, match="No connection to the device"):
        connect(offer, "guest", DEVICE, Encryption(files))
    why = {"another secret": "closed the connection"}.get(what, "certificate is not accepted")
    assert eventually(lambda: why in caplog.text), caplog.text
    assert house.came == []


def test_a_server_of_another_authority_is_refused(
    authority: Authority, encryption: Encryption, tmp_path: Path
) -> None:
    stranger = House(Encryption(Authority(tmp_path, "other").files()))
    with pytest.raises(errors.UnavailableError, match="certificate is not accepted: "):
        connect(stranger.offer, "guest", DEVICE, encryption)
    stranger.close()


def test_who_has_a_certificate_but_no_secret_cannot_stand_in_between(
    house: House, authority: Authority, encryption: Encryption
) -> None:
    """It speaks TLS with both ends, and passes on what they say to each other."""
    between = Encryption(authority.files("between"))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def pump(source: socket.socket, sink: socket.socket) -> None:
            try:
                while data := source.recv(4096):
                    sink.sendall(data)
            except OSError:
                return
            finally:
                for sock in (source, sink):
                    try:
                        sock.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        continue

        def serve() -> None:
            accepted, _ = listener.accept()
            address = (house.offer.host, house.offer.port)
            front = between.wrap(accepted, is_server=True)
            back = between.wrap(socket.create_connection(address), is_server=False)
            with front, back:
                for sock in (front, back):
                    between.meet(sock, 10)
                    sock.settimeout(10)
                other = threading.Thread(target=pump, args=(back, front))
                other.start()
                pump(front, back)
                other.join()

        thread = threading.Thread(target=serve)
        thread.start()
        offer = replace(house.offer, port=listener.getsockname()[1])
        with pytest.raises(errors.UnavailableError, match="does not prove that it is the device"):
            connect(offer, "guest", DEVICE, encryption)
        thread.join(30)
        assert not thread.is_alive()
    assert house.came == []


def test_strangers_are_shown_out_of_an_encrypted_door(house: House) -> None:
    address = (house.offer.host, house.offer.port)
    crowd = [socket.create_connection(address) for _ in range(40)]
    for sock in crowd:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01")
    # The oldest make room for the last.
    crowd[0].settimeout(4)
    assert crowd[0].recv(100) in (b"", b"\x15\x03\x03\x00\x02\x02\x32")
    for sock in crowd:
        sock.close()


def test_what_comes_after_the_end_is_decrypted_all_the_same(encryption: Encryption) -> None:
    """One thread ends a lane while another one reads what has come before."""
    here, there = (line.sock for line in tls_lines(encryption))
    now = socket.MSG_DONTWAIT
    assert there.send(TEXT, now) == len(TEXT)
    here.shutdown(socket.SHUT_RDWR)
    found = bytearray(100)
    assert here.recv_into(found, 0, now) == len(TEXT)
    assert found.rstrip(b"\0") == TEXT
    with pytest.raises(OSError):
        while True:
            here.send(TEXT, now)
    here.close()
    with pytest.raises(OSError, match=r"closed|Bad file"):
        here.recv_into(found, 0, now)
    there.close()


def test_who_waits_for_the_socket_misses_nothing(encryption: Encryption) -> None:
    """A record that does not fit behind the begin of a frame: the rest waits in OpenSSL."""
    record, count = 1 << 14, 400
    data = bytearray()
    for number in range(1, count + 1):
        header = bytes(encode_frames(AbortStep(number, ErrorReport(1, "no")))[0])
        data += message_head(number, len(header)) + header
    here, there = tls_lines(encryption)
    lane = Lane(there, "peer", lambda _: None, owns=True)
    steps: list[int] = []
    for piece in (data[: len(data) % record], data[len(data) % record :][:record]):
        assert here.sock.send(piece, socket.MSG_DONTWAIT) == len(piece)
        while select.select([lane], [], [], 0.2)[0]:
            steps += [m.step for m in lane.read() if isinstance(m, AbortStep)]
    assert len(data) < 2 * record and len(data) % record > 1000
    assert steps == list(range(1, count + 1))
    lane.close()
    here.sock.close()


def test_files_that_are_none_are_named(authority: Authority, tmp_path: Path) -> None:
    good = authority.files("named")
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    for wrong in (
        good._replace(certificate="/nowhere.pem"),
        good._replace(key=good.certificate),
        good._replace(authority=str(empty)),
        good._replace(key=authority.files("another").key),
    ):
        with pytest.raises(
            errors.InvalidArgumentError, match="TLS cannot use certificate"
        ) as found:
            Encryption(wrong)
        for path in wrong:
            assert path in found.value.message


def test_where_the_files_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    config = ConfigProto()
    assert tls_files(config) is None
    tls = config.rpc_options.tls
    tls.certificate, tls.key = "c", "k"
    with pytest.raises(errors.InvalidArgumentError, match="there is none for: authority"):
        tls_files(config)
    tls.authority = "a"
    assert tls_files(config) == TlsFiles("c", "k", "a")
    for name, value in zip(names, ("1", "rc", "rk", "ra"), strict=True):
        monkeypatch.setenv(name, value)
    assert tls_files(config) == TlsFiles("c", "k", "a")
    assert tls_files(ConfigProto()) == TlsFiles("rc", "rk", "ra")
    monkeypatch.delenv("RAY_TLS_CA_CERT")
    with pytest.raises(errors.InvalidArgumentError, match=r"RAY_TLS_CA_CERT.*none for: authority"):
        tls_files(ConfigProto())
    monkeypatch.setenv("RAY_USE_TLS", "0")
    assert tls_files(ConfigProto()) is None


def test_encryption_of_what_goes_through_ray_is_rays(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ConfigProto()
    assert encryption_for(config) is None
    tls = config.rpc_options.tls
    tls.certificate, tls.key, tls.authority = authority.files("calls")
    assert encryption_for(config) is not None
    config.rpc_options.use_rpc_for_inprocess_master = True
    monkeypatch.delenv("RAY_USE_TLS", raising=False)
    with pytest.raises(errors.InvalidArgumentError, match="encrypts nothing where all goes"):
        encryption_for(config)
    monkeypatch.setenv("RAY_USE_TLS", "1")
    assert encryption_for(config) is not None
