import { relative } from 'node:path'
import { demoShop } from '../demo-shop/shop-profile.ts'
import { repositoryRoot } from '../layout/stack-paths.ts'
import type { Account } from '../services/demo-data.ts'
import type { Stack } from '../stack/stack-file.ts'

/**
 * Returns what `npm start` prints when the stack is ready: URLs, logins and a first API call. `shopUser` is the login of the demo
 * shop, if the stack has one.
 */
export function stackSummary(stack: Stack, dir: string, shopUser: Account | undefined): string {
  const rows = [
    ['API and hosted pages', stack.base_url],
    ['Dashboard', `${stack.base_url}/dashboard`],
    ['Acquirer sandbox', stack.acquirer_url],
    ['PostgreSQL', stack.postgres_url],
    ['RabbitMQ', stack.amqp_url],
    ['Merchant', stack.merchant_id],
    ['  its API key', stack.api_key],
    userRow(stack.client),
    ...(shopUser ? [['Demo shop', `${demoShop.name}, with 90 days of payments`] as const, userRow(shopUser)] : []),
    ['Operator', `${stack.operator.email}  ${stack.operator.password}`],
  ] as const
  const table = rows.map(([label, value]) => `  ${label.padEnd(22)}${value}`)
  const folder = dir.startsWith(repositoryRoot) ? relative(repositoryRoot, dir) : dir
  return `
${table.join('\n')}

A first call:
${firstCall(stack)}

These details are in ${folder}/stack.json, and logs are in ${folder}/logs. Stop with Ctrl-C or npm stop. Delete all data with npm run reset.
`
}

const userRow = ({ email, password }: Account) => ['  its user', `${email}  ${password}`] as const

const firstCall = ({ base_url, api_key }: Stack) => `  curl -s ${base_url}/checkout/v1/sessions \\
    -H 'Authorization: Token ${api_key}' -H 'Content-Type: application/json' \\
    -d '{"amount_total": 25000, "currency": "MXN", "success_url": "https://example.com/thanks"}'`
