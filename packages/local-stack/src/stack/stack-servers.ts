import { type DatabaseUrls, prepareDatabase } from '../database/prepare-database.ts'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import type { StackPorts } from '../layout/stack-ports.ts'
import { writePrivateFile } from '../machine/private-files.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { UserError, userError } from '../machine/user-error.ts'
import { speaksAmqp } from '../servers/amqp-probe.ts'
import { acceptsAdministrator, type BrokerUrls, defaultApiUrl, prepareBroker } from '../servers/broker-logins.ts'
import { startPostgres } from '../servers/postgres-server.ts'
import type { OnSpawned } from '../servers/server.ts'
import { startRabbitmq } from '../servers/start-rabbitmq.ts'
import type { Secrets } from '../services/secrets.ts'

/** Options for starting a server of a stack. */
export interface ServerOptions {
  dir: string
  ports: StackPorts
  secrets: Secrets
  report: ReportProgress
  signal: AbortSignal
}

/** Prepares the stack's database, in the server at `givenUrl` or else in a new private server. */
export async function provideDatabase(
  options: ServerOptions & { givenUrl: string | undefined; database: string },
  onSpawned: OnSpawned,
): Promise<DatabaseUrls> {
  const { dir, ports, secrets, report, signal, givenUrl, database } = options
  if (!givenUrl) {
    const server = await startPostgres({
      dataDir: stackFiles(dir).postgres,
      logFile: logFile(dir, 'postgres'),
      port: ports.postgres,
      password: secrets.postgres_password,
      durable: true,
      report,
      signal,
      onSpawned,
    })
    report(`PostgreSQL is ready on port ${ports.postgres}`)
    return prepareDatabase({ adminUrl: server.url, database })
  }
  const prepared = await prepareDatabase({ adminUrl: givenUrl, database }).catch(error => {
    throw error instanceof UserError
      ? error
      : userError(
          `Cannot use the PostgreSQL at POSTGRES_URL (${error.message}): fix that, or unset POSTGRES_URL.`,
          error,
        )
  })
  if (prepared.created) writePrivateFile(stackFiles(dir).madeDatabase, { adminUrl: givenUrl, database })
  return prepared
}

/** Makes the stack's logins on the broker at `givenUrl`, or else on a new private server. */
export async function provideBroker(
  options: ServerOptions & { givenUrl: string | undefined; givenApiUrl: string | undefined; namespace: string },
  onSpawned: OnSpawned,
): Promise<BrokerUrls> {
  const { dir, ports, secrets, report, signal, givenUrl, givenApiUrl, namespace } = options
  if (givenUrl) {
    const { hostname, port } = new URL(givenUrl)
    const answers = await speaksAmqp(Number(port || 5672), hostname)
    if (!answers)
      throw userError(`No RabbitMQ answers at AMQP_URL (${hostname}:${port || 5672}): start it, or unset AMQP_URL.`)
    const apiUrl = givenApiUrl ?? defaultApiUrl(givenUrl)
    if (apiUrl && (givenApiUrl || (await acceptsAdministrator(apiUrl))))
      return prepareBroker({ amqpUrl: givenUrl, apiUrl, namespace })
    report('the login of AMQP_URL administers no management API (RABBITMQ_API_URL), so the services share it')
    return { url: () => givenUrl, adminUrl: givenUrl }
  }
  const server = await startRabbitmq({
    dir: stackFiles(dir).rabbitmq,
    logFile: logFile(dir, 'rabbitmq'),
    ports: ports.rabbitmq,
    password: secrets.amqp_password,
    report,
    signal,
    onSpawned,
  })
  report(`RabbitMQ is ready on port ${ports.rabbitmq.amqp}`)
  return prepareBroker({ amqpUrl: server.url, apiUrl: server.apiUrl, namespace })
}
