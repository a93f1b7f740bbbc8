"""Encrypts a file to a public key, and decrypts it with the secret one.

python recipient.py FILE      writes FILE.key, FILE.seal and FILE.copy
"""

import sys

import sealstone

if len(sys.argv) != 2:
    sys.exit("usage: recipient.py FILE")
file = sys.argv[1]

# The secret key stays with whoever is to decrypt; nobody else may read it.
identity = sealstone.generate_identity()
sealstone.write_identity(identity, f"{file}.key")
# The public one goes to whoever encrypts.
recipients = str(sealstone.recipient_of(identity))

sealstone.encrypt_file(file, f"{file}.seal", recipients=recipients)

with open(f"{file}.key", "rb") as key:
    identities = sealstone.import_identities(key.read())
done = sealstone.decrypt_file(f"{file}.seal", f"{file}.copy", identities=identities)
print(f"{done.plaintext} bytes came back")
