/** Values that a careless server passes on, stores or fails on. None names an address. */
export const hostileValues: readonly unknown[] = [
  ...['', ' ', '\t\n', '\u0000', 'a\u0000b', '\u202egnp', '\ufeff', '\ud800', '💸'.repeat(60), 'ñ'.repeat(500)],
  ...["' or '1'='1", "'; drop table transactions.transactions; --", '1) union select null--', '%', '_%_', '\\', '"'],
  ...[
    '{{7*7}}',
    '#{7*7}',
    '<%= 7*7 %>',
    '<script>alert(1)</script>',
    '=cmd()',
    '$(id)',
    '`id`',
    '../../../etc/passwd',
    '..%2f..%2f',
  ],
  ...['a\r\nSet-Cookie: a=b', '%0d%0a', '%00', '%', '%zz', '\u0661\u0662', 'null', 'undefined', '[object Object]'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'txn_',
    'txn_00000000000000000000000000',
    'cs_8zzzzzzzzzzzzzzzzzzzzzzzzz',
  ],
  ...['2026-02-30', '0000-01-01', '9999-12-31', '2026-13-01T00:00:00Z', '1e400', 'NaN', '-0', '٣', '0x10', '1_000'],
  ...['a'.repeat(5_000), 'javascript:alert(1)', 'data:text/html,x', 'mailto:a@b', 'http://', 'https://[', '//', '*'],
  ...[0, -0, -1, 1, 0.1, 1e21, -1e21, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 63, 99_999_999_999_999, 1e-7],
  ...[true, false, null, [], [[]], [null], {}, { a: 1 }, { $ne: null }, { $gt: '' }, { toString: 1 }],
  ...[Array.from({ length: 300 }, (_, i) => i), nested(40), { length: 1_000_000 }, [{ id: '*' }]],
]

/** Bodies that are no JSON objects, or none that a schema expects. */
export const hostileBodies: readonly string[] = [
  ...['', '{', '{"a":', '[', ']', 'null', '0', '"text"', '[]', '[{}]', '{}', '{"":""}', '{"a":1,"a":2}', 'NaN'],
  ...['{"__proto__":{"role":"operator"}}', '{"constructor":{"prototype":{"a":1}}}', '{"unknown":true}', '\ufeff{}'],
  ...['{"a":"\\ud800"}', '{"a":"\\u0000"}', '{a:1}', "{'a':1}", '{"a":1}//', `${'['.repeat(2_000)}`, '{"a":1e999}'],
  JSON.stringify(nested(60)),
]

/** Headers that steer the gateway. */
export const hostileHeaders: readonly Record<string, string>[] = [
  ...['', ' ', '*', "'", 'mrc_', 'mrc_00000000000000000000000000', 'a'.repeat(300)].map(value => ({
    'x-merchant-id': value,
  })),
  ...['', 'a'.repeat(256), 'ä', '\t', "' or 1=1"].map(value => ({ 'idempotency-key': value })),
  ...['Bearer', 'Bearer ', 'Bearer a.b.c', 'Basic YTpi', 'Token', `Token ${'a'.repeat(4_000)}`, 'null'].map(value => ({
    authorization: value,
  })),
  ...['text/plain', 'application/json; charset=utf-16', 'application/xml', 'multipart/form-data'].map(value => ({
    'content-type': value,
  })),
  ...['gzip', 'br', 'identity, gzip'].map(value => ({ 'content-encoding': value })),
  { traceparent: `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`, baggage: 'correlation_id=corr_forged' },
  { 'x-request-id': 'req_forged', 'x-forwarded-for': '10.0.0.1, ::1', 'x-http-method-override': 'DELETE' },
  { accept: 'text/html', origin: 'null', range: 'bytes=0-1', 'if-none-match': '*' },
]

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: [nested(depth - 1)] }
}
