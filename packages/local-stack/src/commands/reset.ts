import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { dropDatabase } from '../database/prepare-database.ts'
import { stackDirectory, stackFiles } from '../layout/stack-paths.ts'
import { runCli } from '../machine/cli.ts'
import { removePostgresData } from '../servers/postgres-server.ts'
import { removeRabbitmqVolume } from '../servers/rabbitmq-container.ts'
import { stopStack } from '../stack/stop-stack.ts'

await runCli(async () => {
  const dir = stackDirectory()
  await stopStack(dir)
  await deleteData(dir)
  console.log('All data of the stack has been deleted.')
  return 0
})

/** Deletes a stack's files by name, because the directory may hold other files too. */
async function deleteData(dir: string): Promise<void> {
  const { madeDatabase, postgres, rabbitmq, ...others } = stackFiles(dir)
  if (existsSync(madeDatabase)) {
    const { adminUrl, database } = JSON.parse(readFileSync(madeDatabase, 'utf8'))
    await dropDatabase(adminUrl, database)
  }
  await removePostgresData(postgres)
  await removeRabbitmqVolume(rabbitmq)
  for (const path of [madeDatabase, rabbitmq, ...Object.values(others)])
    await rm(path, { recursive: true, force: true })
  if (existsSync(dir) && (await readdir(dir)).length === 0) await rmdir(dir)
}
