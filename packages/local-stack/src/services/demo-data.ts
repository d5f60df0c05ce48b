import { existsSync, readFileSync } from 'node:fs'
import { stackFiles } from '../layout/stack-paths.ts'
import { writePrivateFile } from '../machine/private-files.ts'
import { userError } from '../machine/user-error.ts'
import type { Secrets } from './secrets.ts'
import { runServiceCommand, type ServiceProgram } from './service-program.ts'

/** Who can log in. */
export interface Account {
  email: string
  password: string
}

/** A merchant of the demo data, with its API key and its user. */
export interface DemoMerchant {
  merchant_id: string
  api_key: string
  client: Account
}

/** The demo data: one operator, and two merchants, so that strangers can be told apart. */
export interface DemoData {
  operator: Account
  demo: DemoMerchant
  second: DemoMerchant
}

interface CreatedMerchant {
  merchant_id: string
  api_key: string | null
}

/** The demo data, as the gateway's seed command is told of it. */
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

/** Lets the gateway make the demo data where it is missing. An API key is shown once, so it is kept in the folder. */
export async function seed(dir: string, gateway: ServiceProgram, secrets: Secrets): Promise<void> {
  const request = demoDataRequest(secrets)
  const [demoAsked, secondAsked] = request.merchants
  const output = await runServiceCommand(gateway, 'seed', JSON.stringify(request))
  const [demo, second] = withApiKeys(dir, parseSeedOutput(output))
  const seeded: DemoData = {
    operator: request.operator,
    demo: { ...demo, client: demoAsked.client },
    second: { ...second, client: secondAsked.client },
  }
  writePrivateFile(stackFiles(dir).seed, seeded)
}

/** What `seed` has made. */
export const readDemoData = (dir: string): DemoData => JSON.parse(readFileSync(stackFiles(dir).seed, 'utf8'))

/** What the gateway's seed command has made. Its answer is one line; its log may share the stream. */
export function parseSeedOutput(output: string): CreatedMerchant[] {
  const answer = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
    .find(line => Array.isArray(line.merchants))
  if (!answer) throw new Error(`The gateway's seed command did not answer with merchants but: ${output}`)
  return answer.merchants
}

type WithKey = Omit<DemoMerchant, 'client'>

function withApiKeys(dir: string, made: CreatedMerchant[]): [WithKey, WithKey] {
  const kept = existsSync(stackFiles(dir).seed) ? readDemoData(dir) : undefined
  const merchants = made.map(({ merchant_id, api_key }) => {
    const key = api_key ?? [kept?.demo, kept?.second].find(merchant => merchant?.merchant_id === merchant_id)?.api_key
    if (key) return { merchant_id, api_key: key }
    throw userError(
      'The database has a demo merchant whose API key is not in this folder: run npm run reset, or use another database.',
    )
  })
  return merchants as [WithKey, WithKey]
}
