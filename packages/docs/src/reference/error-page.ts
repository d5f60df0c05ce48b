import { declineReasons, type ErrorCode, errorStatus } from '@cobro/contracts'
import { testCards } from '@cobro/sdk/testing'
import type { GeneratedPage } from './generated-page.ts'

/** What an error code means, and what a program does about it. */
interface ErrorGuide {
  cause: string
  remedy: string
}

const ofCard = 'Show it to the payer, who may try another card.'

/** Every error code. A code without an entry does not compile. */
const guides: Record<ErrorCode, ErrorGuide> = {
  invalid_request: {
    cause: 'A field or parameter is missing, unknown or malformed. The detail names it.',
    remedy: 'Correct the call. Repeating it as it is does not help.',
  },
  unauthorized: {
    cause: 'The credential is missing, wrong, expired or revoked.',
    remedy: 'Check the key and its environment; a user logs in again.',
  },
  forbidden: {
    cause: 'The credential may not do this, or the object is another merchant’s.',
    remedy: 'Use a key with the scope that the reference names.',
  },
  mfa_required: {
    cause: 'The password was right, and the user has a second factor or has to have one.',
    remedy: 'Send the `mfa_token` of the answer with a code to `POST /api/auth/login/factor`.',
  },
  confirmation_required: {
    cause:
      'The user proved more than five minutes ago who it is, and the call changes money, keys, users or deletes something.',
    remedy: 'Send the password to `POST /api/auth/confirm`, and repeat the call with the new token.',
  },
  not_found: { cause: 'There is no such object or path.', remedy: 'Check the id and the environment.' },
  method_not_allowed: { cause: 'The path has no such method.', remedy: 'The header `Allow` names its methods.' },
  request_timeout: {
    cause: 'The body did not arrive in time.',
    remedy: 'Repeat the call, with growing pauses.',
  },
  conflict: {
    cause: 'The state of the object does not allow it, or a call with the same `Idempotency-Key` is still running.',
    remedy: 'With `Retry-After`, repeat the call then. Without it, read the object and decide.',
  },
  gone: {
    cause: 'Events after this position of the feed are no longer kept.',
    remedy:
      'List with `after=latest`, which returns `floor`, the oldest event that is kept. Go on after `floor - 1`, and reconcile.',
  },
  payload_too_large: { cause: 'The body is too large.', remedy: 'Send less; the detail names the limit.' },
  unsupported_media_type: {
    cause: 'The body is not JSON in UTF-8.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  expectation_failed: { cause: 'The call has an `Expect` header with another value.', remedy: 'Leave it out.' },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was used with another body.',
    remedy: 'Use one key for one intended effect: derive it from the order.',
  },
  rate_limited: {
    cause: 'Too many calls of this key, user or address.',
    remedy: 'Wait for `Retry-After` seconds. The SDK does so by itself.',
  },
  header_too_large: { cause: 'The headers are too large.', remedy: 'Send fewer or smaller headers.' },
  internal_error: {
    cause: 'An error of ours. The call may have had its effect.',
    remedy: 'Repeat it under the same `Idempotency-Key`; quote `X-Request-Id` to support.',
  },
  processing_error: {
    cause: 'The payment failed for a technical reason. Nothing was charged.',
    remedy: 'The payer may try again.',
  },
  unavailable: {
    cause: 'A part of the service cannot be reached, or is stopping. The call may have had its effect.',
    remedy: 'Repeat it under the same `Idempotency-Key`, with growing pauses.',
  },
  timeout: {
    cause: 'No answer came in time. The call may have had its effect.',
    remedy: 'Repeat it under the same `Idempotency-Key`, which cannot double the effect.',
  },
  card_declined: { cause: 'The issuer declined without a reason.', remedy: ofCard },
  do_not_honor: { cause: 'The issuer declined without a reason.', remedy: ofCard },
  call_issuer: { cause: 'The issuer wants its cardholder to call.', remedy: 'The payer calls the number on the card.' },
  insufficient_funds: { cause: 'The account has too little money.', remedy: ofCard },
  expired_card: { cause: 'The card has expired.', remedy: ofCard },
  incorrect_number: { cause: 'There is no card with this number.', remedy: 'The payer checks the number.' },
  incorrect_cvc: { cause: 'The security code is wrong.', remedy: 'The payer checks the code.' },
  lost_card: {
    cause: 'The card was reported lost. The payer sees `card_declined`.',
    remedy: 'Do not deliver; do not tell the payer why.',
  },
  stolen_card: {
    cause: 'The card was reported stolen. The payer sees `card_declined`.',
    remedy: 'Do not deliver; do not tell the payer why.',
  },
  restricted_card: { cause: 'The card may not be used here.', remedy: ofCard },
  transaction_not_allowed: { cause: 'The issuer does not allow this kind of payment.', remedy: ofCard },
  card_not_supported: { cause: 'The card does not support this kind of payment.', remedy: ofCard },
  limit_exceeded: { cause: 'The payment exceeds a limit of the card.', remedy: ofCard },
  suspected_fraud: {
    cause: 'The issuer suspects fraud. The payer sees `card_declined`.',
    remedy: 'Do not deliver; do not tell the payer why.',
  },
  issuer_not_available: { cause: 'The issuer could not be reached.', remedy: 'The payer tries again later.' },
}

/** Returns the page of all error codes. */
export function errorPage(): GeneratedPage {
  const codes = Object.keys(guides) as ErrorCode[]
  const isDecline = (code: ErrorCode) => (declineReasons as readonly string[]).includes(code)
  const general = codes.filter(code => !isDecline(code)).map(code => [errorStatus[code], ...row(code)])
  const declines = codes.filter(isDecline).map(code => [...row(code), cardOf(code)])
  const markdown = `# Error codes

An error is \`{ "error": "<code>: <detail>" }\`. Programs switch on the code; the detail is for people and may change.

## Codes

${table(['Status', 'Code', 'Cause', 'What to do'], general)}

## Declines

A decline has the status 402 and \`"declined": true\`. The payer's session stays open for another try.

${table(['Code', 'Cause', 'What to do', 'Test card'], declines)}
`
  return { path: 'reference/errors', markdown }
}

const row = (code: ErrorCode) => [`\`${code}\``, guides[code].cause, guides[code].remedy]

function cardOf(code: ErrorCode): string {
  const card = testCards.find(({ decline_reason }) => decline_reason === code)
  return card ? `\`${card.number}\`` : ''
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
