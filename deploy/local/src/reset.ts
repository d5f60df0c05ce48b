import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { stackFiles, stackFolder } from './folders.ts'
import { removePostgresData } from './postgres-server.ts'
import { dropDatabase } from './prepare-database.ts'
import { removeRabbitmqVolume } from './rabbitmq-container.ts'
import { stopStack } from './stop-stack.ts'
import { runTask } from './task.ts'

await runTask(async () => {
  const dir = stackFolder()
  await stopStack(dir)
  await deleteData(dir)
  console.log('All data of the stack is deleted.')
  return 0
})

/** Deletes by name what a stack keeps: the folder may be one that holds other things too. */
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
