import { Client } from 'pg'
import { localStack } from './launcher.ts'

/** Runs `work` with a connection as the on-call engineer: of `POSTGRES_URL`, or of the local stack. */
export async function withOperatorDatabase<T>(work: (client: Client) => Promise<T>, timeoutMs = 30_000): Promise<T> {
  const client = new Client({
    connectionString: process.env.POSTGRES_URL || (await localStack()).postgres_url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: timeoutMs,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
