"""Certificates for tests: an authority, and what it has signed."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dataflow.actors.transfers.lanes.tls import TlsFiles


class Authority:
    """Signs certificates, whose files it writes to a folder of its own."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder / name
        self._folder.mkdir()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        made = self._signed(self._name, self._key.public_key(), is_authority=True)
        self.path = self._write("ca.pem", made.public_bytes(serialization.Encoding.PEM))

    def files(self, name: str = "node", days: int = 2, address: str = "") -> TlsFiles:
        """A new certificate and its key; one that has run out if it is good for less than none.

        Args:
          name: Of who shows it, and of the files.
          days: How long it is good for.
          address: Of the machine that it is for besides the loopback, as Ray's connections ask.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._signed(_named(name), key.public_key(), days=days, address=address)
        encoded = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        certificate = made.public_bytes(serialization.Encoding.PEM)
        return TlsFiles(
            self._write(f"{name}.pem", certificate), self._write(f"{name}.key", encoded), self.path
        )

    def _signed(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePublicKey,
        is_authority: bool = False,
        days: int = 2,
        address: str = "",
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        addresses = [ipaddress.ip_address(text) for text in ("127.0.0.1", address) if text]
        names = [x509.DNSName("localhost"), *map(x509.IPAddress, addresses)]
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=9))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(self._key, hashes.SHA256())
        )

    def _write(self, name: str, data: bytes) -> str:
        path = self._folder / name
        path.write_bytes(data)
        return str(path)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
