import { access, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The root of the checkout. */
export const root = join(import.meta.dirname, '..', '..', '..', '..')

/** Returns the folder of a tool among this checkout's tools. */
export const toolFolder = (name: string) => join(root, '.tools', name)

/** Installs a tool in its folder, once. Returns whether it is there, and prints which test is skipped and why if not. */
export async function installTool(name: string, test: string, install: () => Promise<unknown>): Promise<boolean> {
  const folder = toolFolder(name)
  const marker = join(folder, 'installed')
  try {
    await access(marker)
    return true
  } catch {}
  try {
    await install()
    await writeFile(marker, '')
    return true
  } catch (error) {
    process.stdout.write(`${test} was not tested: ${String(error).slice(0, 300)}\n`)
    await rm(folder, { recursive: true, force: true })
    return false
  }
}

/** A client in another language, generated from the API description. */
export interface GeneratedClient {
  /** What the generator printed. */
  output: string
  /** Runs a step of a program that uses the client, and returns the JSON that it prints. */
  run(args: readonly string[]): Promise<unknown>
  remove(): Promise<void>
}
