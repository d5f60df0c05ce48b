import { curlOf } from './curl.ts'

const call = { number: 1, headers: {}, body: undefined, status: 200, ms: 12, requestId: 'req_1' }

test('a call for a shell names the token by its variable', () => {
  expect(curlOf({ ...call, method: 'GET', url: 'https://pay.example.com/api/me?a=1&b=2' })).toBe(
    `curl 'https://pay.example.com/api/me?a=1&b=2' \\\n  -H "Authorization: Bearer $COBRO_TOKEN"`,
  )
})

test('a quote in a body does not end its text', () => {
  const headers = { 'content-type': 'application/json' }
  const body = `{"concepto":"Ana's; rm -rf $HOME"}`
  expect(curlOf({ ...call, method: 'POST', url: 'https://pay.example.com/api/payment-links', headers, body })).toBe(
    [
      "curl -X POST 'https://pay.example.com/api/payment-links'",
      '-H "Authorization: Bearer $COBRO_TOKEN"',
      "-H 'content-type: application/json'",
      String.raw`-d '{"concepto":"Ana'\''s; rm -rf $HOME"}'`,
    ].join(' \\\n  '),
  )
})
