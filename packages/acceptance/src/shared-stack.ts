import { randomBytes, randomUUID } from 'node:crypto'
import { type AcceptanceStack, acceptanceStack } from './acceptance-stack.ts'
import { type ApiClient, apiClient } from './api-client.ts'

/**
 * Changes of bank accounts are on hold, as in production. A delivery that failed twice waits a long
 * time for its next attempt, so that there is one to cancel. The payer of the disputed card disputes soon.
 */
const settings = {
  transactions: { BANK_CHANGE_HOLD_HOURS: '72' },
  'webhooks-dispatcher': { WEBHOOK_RETRY_DELAYS_MS: '200,600000' },
  'acquirer-sandbox': { DISPUTE_DELAY_MS: '200' },
}

/** The stack of this worker. Its files run one after another, in one process. */
let running: Promise<AcceptanceStack> | undefined

/**
 * Returns a stack that the test files of a worker share, with two merchants, their keys and users
 * of the calling file's own. For files that stop no process and need no other settings. It runs
 * until the step has ended.
 */
export async function sharedStack(): Promise<AcceptanceStack> {
  running ??= acceptanceStack(settings)
  const shared = await running
  const { base_url, operator: account } = shared.stack
  const { body } = await apiClient(base_url).call('POST', '/api/auth/login', account)
  const operator = apiClient(base_url, { authorization: `Bearer ${body.token}` })
  const merchant = await newMerchant(operator)
  const second = await newMerchant(operator)
  return { ...shared, stack: { ...shared.stack, ...merchant, second }, stop: async () => undefined }
}

/** Creates a merchant with an API key and a user. */
async function newMerchant(operator: ApiClient) {
  const name = `Merchant ${randomBytes(4).toString('hex')}`
  const create = async (path: string, body: object, headers = {}) => {
    const answer = await operator.call('POST', path, body, headers)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
    return answer.body
  }
  const merchant_id: string = (await create('/api/merchants', { name, legal_name: `${name}, S.A. de C.V.` })).data.id
  const client = { email: `${merchant_id}@shared.test`.toLowerCase(), password: randomUUID() }
  await create('/api/users', { ...client, role: 'client', merchant_id })
  const { key } = await create('/api/api-keys', { name: 'tests' }, { 'x-merchant-id': merchant_id })
  return { merchant_id, api_key: key as string, client }
}
