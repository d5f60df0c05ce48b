import type { Operation } from '@cobro/contracts'

/** The chapters of the description, by the path that their operations begin with. The first that fits counts. */
const chapters: readonly [prefix: string, name: string, description: string][] = [
  ['/checkout/v1/sessions', 'Hosted checkout', 'A merchant’s system opens a session and sends the payer to its `url`.'],
  ['/api/checkout-sessions', 'Hosted checkout', ''],
  ['/checkout/v1/links', 'Payment links', 'One charge behind one address, which is sent to whoever is to pay it.'],
  ['/api/payment-links', 'Payment links', ''],
  ['/api/public/links', 'Payment links', ''],
  ['/hosted/v1', 'Hosted page', 'What the payer’s page asks for. Whoever knows the unguessable id may call.'],
  ['/api/transactions', 'Transactions', 'Payments and what became of them.'],
  ['/acquirer/v1', 'Acquirer', 'What the acquirer tells, and what stands in for the world outside in a sandbox.'],
  ['/api/sandbox', 'Acquirer', ''],
  ['/api/fee-rules', 'Fee rules', 'What a merchant’s payments cost it.'],
  ['/api/rolling-reserve', 'Rolling reserve', 'What is held back from a merchant, and for how long.'],
  ['/api/settlement-config', 'Settlement configuration', 'When and where a merchant is paid out.'],
  ['/api/settlements', 'Settlements', 'What a merchant is paid out, period by period.'],
  ['/api/disputes', 'Disputes', 'Payments that their cardholders do not accept.'],
  ['/api/balance-snapshots', 'Balance snapshots', 'What a merchant had at a moment.'],
  ['/api/ledger', 'Ledger', 'Whether every figure follows from the entries of the ledger. For operators.'],
  ['/api/sucursales', 'Sucursales', 'A merchant’s branches.'],
  ['/api/terminales', 'Terminales', 'Card terminals, which may stand in a branch.'],
  [
    '/api/webhook-deliveries',
    'Webhook deliveries',
    'Events on their way to endpoints, and every attempt to deliver them.',
  ],
  ['/api/webhooks', 'Webhooks', 'Addresses that events are sent to, and the catalog of events.'],
  ['/api/events', 'Audit log', 'Every HTTP call and every change of state, for operators.'],
  ['/api/api-keys', 'API keys', 'The credentials of a merchant’s systems.'],
  ['/api/merchants', 'Merchants', 'Who takes payments. For operators.'],
  ['/api/users', 'Users', 'Who logs in: operators, and clients of one merchant. For operators.'],
  ['/api/auth', 'Logins', 'Passwords for tokens, and tokens for new ones.'],
  ['/.well-known', 'Logins', ''],
  ['/health', 'Health', 'How the system is.'],
]

/** The chapter that an operation belongs to. */
export function tagOf({ path, id }: Operation): string {
  const found = chapters.find(([prefix]) => path.startsWith(prefix))
  if (!found) throw new Error(`${id} belongs to no chapter of the API description.`)
  return found[1]
}

/** The chapters with their descriptions, in order. */
export const tags = chapters
  .filter(([, , words]) => words !== '')
  .map(([, name, description]) => ({ name, description }))
