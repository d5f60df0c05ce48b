<?php

declare(strict_types=1);

// region verify
const TOLERANCE_SECONDS = 300;
const WHOLE_SECRET = '~\Awhsec_[A-Za-z0-9+/]{32,}={0,2}\z~';

/**
 * Whether Cobro signed these bytes within the last five minutes.
 *
 * @param string $rawBody file_get_contents('php://input')
 * @param array<string, string|list<string>> $headers getallheaders(), or those of a PSR-7 request
 * @param list<string> $secrets signing secrets of the endpoint, of which one has to match
 */
function is_genuine(string $rawBody, array $headers, array $secrets, ?int $now = null): bool
{
    $whole = array_filter($secrets, fn ($secret) => preg_match(WHOLE_SECRET, (string) $secret) === 1);
    // Otherwise an unset variable would become a key that anyone can guess.
    if ($secrets === [] || count($whole) !== count($secrets)) {
        throw new InvalidArgumentException('Expected whole signing secrets, including whsec_.');
    }
    $timestamp = single_header($headers, 'x-service-signature-timestamp');
    $signature = single_header($headers, 'x-service-signature-v1');
    $previous = single_header($headers, 'x-service-signature-v1-previous');
    if ($timestamp === null || $signature === null) {
        return false;
    }
    if (preg_match('~\A[0-9]{1,12}\z~', $timestamp) !== 1) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $genuine = false;
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
        foreach ([$signature, $previous ?? ''] as $given) {
            if (hash_equals($expected, $given)) {
                $genuine = true;
            }
        }
    }
    return $genuine;
}

/** The value of a header; null if it is missing or repeated. */
function single_header(array $headers, string $name): ?string
{
    $values = [];
    foreach ($headers as $key => $value) {
        if (strtolower((string) $key) === $name) {
            $values = array_merge($values, array_values((array) $value));
        }
    }
    return count($values) === 1 ? $values[0] : null;
}
// endregion

// Reads test vectors, one a line: body, time and secrets, and headers as name:value, all but the time in base64.
$decoded = fn (string $text): string => base64_decode($text, true);
$listOf = fn (string $text): array => $text === '' ? [] : explode(',', $text);

while (($line = fgets(STDIN)) !== false) {
    [$body, $seconds, $secrets, $pairs] = explode("\t", rtrim($line, "\n"));
    $headers = [];
    foreach ($listOf($pairs) as $pair) {
        [$name, $value] = array_map($decoded, explode(':', $pair));
        $headers[$name][] = $value;
    }
    try {
        $genuine = is_genuine($decoded($body), $headers, array_map($decoded, $listOf($secrets)), (int) $seconds);
    } catch (InvalidArgumentException) {
        $genuine = false;
    }
    echo $genuine ? "true\n" : "false\n";
}
