import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import {
  type ComposeServers,
  readComposeCredentials,
  writeComposeSettings,
  writeServerPasswords,
} from '../services/compose-files.ts'
import type { Secrets } from '../services/secrets.ts'

/** Its subdirectories are volumes. Each container mounts only the volume with its own settings. */
const folder = '/settings'
const publicUrl = process.env.PUBLIC_URL ?? ''

/** The setup steps of `docker-compose.yml`. Each is idempotent. */
const steps: Record<string, () => Promise<void>> = {
  passwords: () => writeServerPasswords(folder),
  settings: () => writeComposeSettings(folder, servers, publicUrl),
  credentials: async () => console.log(JSON.stringify(await readComposeCredentials(folder, publicUrl), null, 2)),
}

await runCli(async () => {
  const name = process.argv[2] ?? ''
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (!step) throw userError(`Expected one of ${Object.keys(steps).join(', ')}.`)
  await step()
  return 0
})

function servers({ postgres_password, amqp_password }: Secrets): ComposeServers {
  const administrator = `cobro:${amqp_password}@rabbitmq`
  return {
    adminUrl: `postgres://postgres:${postgres_password}@postgres:5432/postgres`,
    database: 'cobro',
    broker: { amqpUrl: `amqp://${administrator}:5672`, apiUrl: `http://${administrator}:15672` },
    namespace: 'cobro',
  }
}
