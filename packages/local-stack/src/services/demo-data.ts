import { existsSync, readFileSync } from 'node:fs'
import { stackFiles } from '../layout/stack-paths.ts'
import { writePrivateFile } from '../machine/private-files.ts'
import { userError } from '../machine/user-error.ts'
import type { Secrets } from './secrets.ts'
import { runServiceCommand, type ServiceProgram } from './service-program.ts'

/** A user's login. */
export interface Account {
  email: string
  password: string
}

/** A demo merchant with its API key and user. */
export interface DemoMerchant {
  merchant_id: string
  api_key: string
  client: Account
}

/** The demo data: an operator and two merchants, the second to test access to another's objects. */
export interface DemoData {
  operator: Account
  demo: DemoMerchant
  second: DemoMerchant
}

interface CreatedMerchant {
  merchant_id: string
  api_key: string | null
}

/** Returns the input of the gateway's seed command. */
export function demoDataRequest({ passwords }: Pick<Secrets, 'passwords'>) {
  return {
    operator: { email: 'operator@cobro.test', password: passwords.operator },
    merchants: [
      {
        name: 'Demo',
        legal_name: 'Demo, S.A. de C.V.',
        client: { email: 'client@demo.test', password: passwords.client },
      },
      {
        name: 'Second',
        legal_name: 'Second, S.A. de C.V.',
        client: { email: 'client@second.test', password: passwords.second_client },
      },
    ],
  } as const
}

/** Creates missing demo data with the gateway's seed command. Keeps API keys, shown only once. */
export async function createDemoData(dir: string, gateway: ServiceProgram, secrets: Secrets): Promise<void> {
  const request = demoDataRequest(secrets)
  const [demoRequest, secondRequest] = request.merchants
  const output = await runServiceCommand(gateway, 'seed', JSON.stringify(request))
  const [demo, second] = withApiKeys(dir, parseSeedOutput(output))
  const demoData: DemoData = {
    operator: request.operator,
    demo: { ...demo, client: demoRequest.client },
    second: { ...second, client: secondRequest.client },
  }
  writePrivateFile(stackFiles(dir).seed, demoData)
}

/** Reads what `createDemoData` has stored. */
export const readDemoData = (dir: string): DemoData => JSON.parse(readFileSync(stackFiles(dir).seed, 'utf8'))

/** Finds the result of the gateway's seed command: one line of its output, between log lines. */
export function parseSeedOutput(output: string): CreatedMerchant[] {
  const result = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
    .find(line => Array.isArray(line.merchants))
  if (!result) throw new Error(`The output of the gateway's seed command has no merchants: ${output}`)
  return result.merchants
}

type WithKey = Omit<DemoMerchant, 'client'>

function withApiKeys(dir: string, created: CreatedMerchant[]): [WithKey, WithKey] {
  const stored = existsSync(stackFiles(dir).seed) ? readDemoData(dir) : undefined
  const merchants = created.map(({ merchant_id, api_key }) => {
    const key =
      api_key ?? [stored?.demo, stored?.second].find(merchant => merchant?.merchant_id === merchant_id)?.api_key
    if (key) return { merchant_id, api_key: key }
    throw userError(
      'The database has a demo merchant whose API key is not in this directory: run npm run reset, or use another database.',
    )
  })
  return merchants as [WithKey, WithKey]
}
