import { type Id, idTimeMs } from '@cobro/contracts'
import type { DemoHistory, DemoProgress } from '@cobro/contracts/demo'
import { demoDataRequest, parseSeedOutput } from '../services/demo-data.ts'
import { loadSecrets, type Secrets } from '../services/secrets.ts'
import { type DemoShopFile, readDemoShop, writeDemoShop } from './demo-shop-file.ts'
import { shopHistory } from './shop-history.ts'
import { demoShop } from './shop-profile.ts'

/** Runs a command of a service with an input, and passes each line of its output on. */
type RunCommand = (
  service: 'gateway' | 'acquirer-sandbox' | 'transactions' | 'checkout',
  command: string,
  input: string,
  onLine: (line: string) => void,
) => Promise<void>

interface DemoShopLoad {
  dir: string
  hostedUrl: string
  run: RunCommand
  /** Does what follows the past, with a key of the shop. */
  payToday: (key: string) => Promise<void>
}

/** The services that store a part of the past, and the share of the load that each is. */
const parts = [
  { service: 'acquirer-sandbox', share: 0.05 },
  { service: 'transactions', share: 0.75 },
  { service: 'checkout', share: 0.2 },
] as const

/**
 * Creates the demo shop and loads its past, unless that is done. A load that is interrupted goes on at the next call, with the same
 * ids: what is stored already is left as it is.
 */
export async function loadDemoShop({ dir, hostedUrl, run, payToday }: DemoShopLoad): Promise<void> {
  const secrets = await loadSecrets(dir)
  const shop = readDemoShop(dir) ?? (await createShop(dir, run, secrets))
  if (shop.loaded === 1) return
  const history = historyOf(shop, hostedUrl, secrets)
  let done = 0
  for (const { service, share } of parts) {
    await loadPart(run, service, history, part => writeDemoShop(dir, { ...shop, loaded: (done + share * part) * 0.99 }))
    done += share
  }
  if (shop.api_key) await payToday(shop.api_key)
  writeDemoShop(dir, { ...shop, loaded: 1 })
}

/** The past ends when the merchant was created, which its id says, so that each load makes the same. */
function historyOf({ merchant_id }: DemoShopFile, hosted_url: string, { passwords }: Secrets): DemoHistory {
  const until = new Date(idTimeMs(merchant_id))
  return shopHistory({ merchant_id, hosted_url, seed: `${passwords.shop} ${merchant_id}`, until })
}

async function createShop(dir: string, run: RunCommand, secrets: Secrets): Promise<DemoShopFile> {
  const lines: string[] = []
  await run('gateway', 'seed', JSON.stringify(demoShopRequest(secrets)), line => lines.push(line))
  const [created] = parseSeedOutput(lines.join('\n'))
  if (!created) throw new Error('The seed command created no demo shop.')
  const shop = { merchant_id: created.merchant_id as Id<'mrc'>, api_key: created.api_key, loaded: 0 }
  writeDemoShop(dir, shop)
  return shop
}

/** Returns the login of the shop's user. */
export const demoShopLogin = ({ passwords }: Pick<Secrets, 'passwords'>) => ({
  email: demoShop.email,
  password: passwords.shop,
})

/** Returns the input of the gateway's seed command. The operator exists already. */
function demoShopRequest(secrets: Secrets) {
  const { name, legal_name } = demoShop
  const { operator } = demoDataRequest(secrets)
  return { operator, merchants: [{ name, legal_name, client: demoShopLogin(secrets) }] }
}

async function loadPart(
  run: RunCommand,
  service: (typeof parts)[number]['service'],
  history: DemoHistory,
  onProgress: (loaded: number) => void,
): Promise<void> {
  let loaded = 0
  await run(service, 'load-demo', JSON.stringify(history), line => {
    const progress: DemoProgress | undefined = line.startsWith('{"loaded"') ? JSON.parse(line) : undefined
    if (!progress) return
    loaded = progress.loaded / progress.total
    onProgress(loaded)
  })
  // A command that is ended from outside exits as if it had succeeded.
  if (loaded < 1) throw new Error(`The load of ${service} has ended early.`)
}
