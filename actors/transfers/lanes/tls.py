"""Lanes between machines that TLS encrypts: both ends show certificates of one authority.

Which machine has which certificate does not matter: addresses in a cluster come and go. Who is
meant is proved by the secret, which the handshake of the lane binds to both certificates.
"""

from __future__ import annotations

import hashlib
import os
import socket
import ssl
import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from dataflow.actors.transfers.lanes.handshake import HandshakeError
from dataflow.errors import InvalidArgumentError
from dataflow.proto.config_pb2 import ConfigProto

RAY_SWITCH: Final = "RAY_USE_TLS"
_RAY_FILES: Final = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_NO_TLS: Final = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG")
"""What OpenSSL calls it when the other end says something else than TLS."""
_RECORD: Final = 1 << 14
"""Bytes that TLS encrypts at a time; small buffers are joined to as many."""
_MOST: Final = 1 << 18
"""Bytes of one call: a thread that reads waits meanwhile."""


class TlsFiles(NamedTuple):
    """Paths of what TLS needs, in PEM, on each machine."""

    certificate: str
    """What this end shows, with the certificates between it and the authority."""
    key: str
    authority: str
    """Whose certificates are accepted."""


def ray_encrypts() -> bool:
    """Whether Ray encrypts what it carries itself."""
    return os.environ.get(RAY_SWITCH, "0").lower() in ("1", "true")


def tls_files(config: ConfigProto) -> TlsFiles | None:
    """What lanes between machines are encrypted by; None if they are not.

    The options name the files; if they do not, and Ray is told to use TLS, they are Ray's.

    Raises:
      InvalidArgumentError: Some are named, but not all.
    """
    options = config.rpc_options.tls
    found = TlsFiles(options.certificate, options.key, options.authority)
    where = "rpc_options.tls"
    if not any(found):
        if not ray_encrypts():
            return None
        found = TlsFiles(*(os.environ.get(name, "") for name in _RAY_FILES))
        where = f"{RAY_SWITCH} with {', '.join(_RAY_FILES)}"
    missing = [name for name, path in found._asdict().items() if not path]
    if missing:
        raise InvalidArgumentError(
            None, None, f"{where} must name three files; there is none for: {', '.join(missing)}."
        )
    return found


class Encryption:
    """What one process needs to encrypt its lanes."""

    def __init__(self, files: TlsFiles) -> None:
        """Reads the files.

        Raises:
          InvalidArgumentError: They cannot be used.
        """
        try:
            self._contexts = [_context(files, is_server) for is_server in (False, True)]
            with open(files.certificate, encoding="ascii", errors="replace") as file:
                text = file.read()
            begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
            first = text[text.index(begin) : text.index(end) + len(end)]
            self._certificate = ssl.PEM_cert_to_DER_cert(first)
        except (OSError, ValueError) as error:
            raise InvalidArgumentError(
                None,
                None,
                f"TLS cannot use certificate {files.certificate!r} with key {files.key!r} and "
                f"authority {files.authority!r}: {error}",
            ) from error

    def wrap(self, sock: socket.socket, is_server: bool) -> TlsSocket:
        """Takes over a connected socket; nothing is sent yet.

        Raises:
          OSError: It is connected no more.
        """
        context = self._contexts[is_server]
        return cast(
            "TlsSocket", context.wrap_socket(sock, is_server, do_handshake_on_connect=False)
        )

    def meet(self, sock: TlsSocket, seconds: float) -> bytes:
        """Has both ends show their certificates.

        Args:
          sock: A socket of `wrap`.
          seconds: What it may take.

        Returns:
          Hashes of what the client and the server have shown, the same at both ends.

        Raises:
          HandshakeError: The other end does not encrypt, or is not of the same authority.
          OSError: It took too long, or the connection broke.
        """
        sock.settimeout(seconds)
        try:
            sock.do_handshake()
        except ssl.SSLError as error:
            raise HandshakeError(_told(error)) from error
        theirs = sock.getpeercert(binary_form=True) or b""
        shown = (theirs, self._certificate) if sock.server_side else (self._certificate, theirs)
        return b"".join(hashlib.sha256(certificate).digest() for certificate in shown)


def _context(files: TlsFiles, is_server: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    context.sslsocket_class = TlsSocket
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    if is_server:
        context.num_tickets = 0
    context.load_cert_chain(files.certificate, files.key)
    context.load_verify_locations(files.authority)
    return context


def _told(error: ssl.SSLError) -> str:
    if error.reason in _NO_TLS:
        return f"it does not encrypt, which this end was asked to do ({error.reason})"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {error.verify_message}"
    return f"TLS fails: {error.reason or error}"


class TlsSocket(ssl.SSLSocket):
    """Encrypts what is sent; one thread may send while another one reads, and neither waits.

    As plain sockets do it with `MSG_DONTWAIT`, which is what `flags` are taken for.
    """

    _turns: threading.Lock
    """OpenSSL's connections take one call at a time."""

    def begin(self) -> TlsSocket:
        """From now on nothing waits."""
        self._turns = threading.Lock()
        self.setblocking(False)
        return self

    def send(self, data: Any, flags: int = 0) -> int:
        """Sends some of the data; if none can be sent now, the same is to be sent next."""
        if not flags:
            return super().send(data)
        with self._turns:
            try:
                return self.write(memoryview(data).cast("B")[:_MOST])
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                raise BlockingIOError from error
            except ValueError as error:
                raise OSError("closed") from error

    def sendmsg(self, buffers: Sequence[Any], _: Any = (), flags: int = 0) -> int:  # type: ignore[override]
        """As `send`, of the first buffers."""
        joined = bytearray()
        for buffer in buffers:
            view = memoryview(buffer)
            if not view.nbytes:
                continue
            if not joined and view.nbytes >= _RECORD:
                return self.send(view, flags)
            joined += view.cast("B")[: _RECORD - len(joined)]
            if len(joined) == _RECORD:
                break
        return self.send(joined, flags)

    def recv_into(self, buffer: Any, nbytes: int | None = 0, flags: int = 0) -> int:
        """Receives what is there of the current record."""
        if not flags:
            return super().recv_into(buffer, nbytes)
        with self._turns:
            try:
                # It returns a number where it is given a buffer.
                return cast("int", self.read(min(nbytes or len(buffer), _MOST), buffer))
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                raise BlockingIOError from error
            except ValueError as error:
                raise OSError("closed") from error

    def shutdown(self, how: int) -> None:
        """Ends the connection; what is read afterwards is still decrypted, or refused."""
        socket.socket.shutdown(self, how)
