import base64
import sys

# region verify
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300
WHOLE_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{32,}={0,2}")


def is_genuine(raw_body, headers, secrets, now=None):
    """Whether Cobro signed these bytes within the last five minutes.

    headers: pairs of name and value, such as request.headers.items().
    secrets: signing secrets of the endpoint, of which one has to match.
    """
    # Otherwise an unset variable would become a key that anyone can guess.
    if not secrets or not all(WHOLE_SECRET.fullmatch(one) for one in secrets):
        raise ValueError("expected whole signing secrets, including whsec_")
    pairs = list(headers)
    timestamp = single_header(pairs, "x-service-signature-timestamp")
    signature = single_header(pairs, "x-service-signature-v1")
    previous = single_header(pairs, "x-service-signature-v1-previous")
    if timestamp is None or signature is None:
        return False
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    age = int(time.time() if now is None else now) - int(timestamp)
    if abs(age) > TOLERANCE_SECONDS:
        return False
    signed = timestamp.encode() + b"." + raw_body
    genuine = False
    for secret in secrets:
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        for given in (signature, previous or ""):
            if hmac.compare_digest(expected.encode(), given.encode()):
                genuine = True
    return genuine


def single_header(pairs, name):
    """The value of a header; None if it is missing or repeated."""
    values = [value for key, value in pairs if key.lower() == name]
    return values[0] if len(values) == 1 else None
# endregion


# Reads test vectors, one a line: body, time and secrets, and headers as name:value, all but the time in base64.
def decoded(text):
    return base64.b64decode(text).decode()


def list_of(text):
    return text.split(",") if text else []


for line in sys.stdin:
    body, seconds, secrets, headers = line.rstrip("\n").split("\t")
    pairs = [tuple(decoded(part) for part in pair.split(":")) for pair in list_of(headers)]
    try:
        genuine = is_genuine(
            base64.b64decode(body), pairs, [decoded(secret) for secret in list_of(secrets)], int(seconds)
        )
    except ValueError:
        genuine = False
    print("true" if genuine else "false")
