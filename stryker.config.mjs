/**
 * Mutation tests of the pure rules of money, states, fees, signatures and idempotency, by their
 * unit tests. `npm run test:long` runs them.
 */
const rules = [
  'packages/acquirer/src/keyed-resources',
  'packages/acquirer/src/response-codes',
  'packages/acquirer/src/verify-notification',
  'packages/contracts/src/fields/money',
  'packages/contracts/src/fields/pesos',
  'packages/http/src/idempotency-key',
  'packages/sdk/src/verify-webhook',
  'services/checkout/src/checkout-sessions/session-amount',
  'services/checkout/src/payables/link-states',
  'services/checkout/src/payables/session-states',
  'services/checkout/src/payment-attempts/payment-attempt-states',
  'services/transactions/src/charges/charge-states',
  'services/transactions/src/disputes/dispute-states',
  'services/transactions/src/fee-rules/choose-fee-rule',
  'services/transactions/src/fee-rules/fee-amounts',
  'services/transactions/src/ledger/ledger-postings',
  'services/transactions/src/money/exact-cents',
  'services/transactions/src/refunds/refund-states',
  'services/transactions/src/settlements/settlement-periods',
  'services/transactions/src/settlements/settlement-states',
  'services/transactions/src/transactions/transaction-states',
  'services/transactions/src/vouchers/voucher-states',
  'services/webhooks-dispatcher/src/delivery-queue/delivery-states',
  'services/webhooks-dispatcher/src/sending/retry-policy',
  'services/webhooks-dispatcher/src/sending/webhook-signature',
]

export default {
  mutate: rules.map(path => `${path}.ts`),
  plugins: ['./packages/testing/mutation-runner.mjs'],
  testRunner: 'own-test-file',
  coverageAnalysis: 'off',
  ignorers: ['texts'],
  // A mutant that only a slow machine stops would count as found.
  timeoutMS: 40_000,
  concurrency: 2,
  ignorePatterns: ['.cobro', '.tools', '.turbo', 'test-reports', '**/dist', 'docs'],
  tempDirName: '.stryker-tmp',
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: 'test-reports/mutation.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 85, break: 85 },
  allowEmpty: false,
}
