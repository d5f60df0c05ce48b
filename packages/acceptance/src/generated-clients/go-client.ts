import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GeneratedClient, installTool, root, toolFolder } from './installed-tool.ts'

const run = promisify(execFile)
const version = 'v2.8.2'
const runtimeVersion = 'v1.9.0'
const tool = `oapi-codegen-${version}-runtime-${runtimeVersion}`
const folder = toolFolder(tool)
const generatorCommand = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'
const fetchTimeoutMs = 180_000
/** A build takes one to four minutes on two cores. */
const buildTimeoutMs = 480_000

// By default Go's caches are in the home folder, and cannot be deleted. Here they serve the next run too.
const env = {
  ...process.env,
  GOPATH: join(folder, 'path'),
  GOCACHE: join(folder, 'cache'),
  GOFLAGS: `${process.env.GOFLAGS ?? ''} -modcacherw`.trim(),
}

// Builds are without the network: what they need was fetched before.
const buildEnv = { ...env, GOPROXY: 'off' }
const generator = join(folder, 'oapi-codegen')
const generatorModule = join(folder, 'generator')
const clientModule = join(folder, 'client')

const moduleFile = `module cobro.test/client

go 1.26

require github.com/oapi-codegen/runtime ${runtimeVersion}
`
/** What generated clients import. */
const importsFile = `package client

import (
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"
)
`
// Without skip-prune it leaves out components to which only webhooks refer, and the client does not compile
// (oapi-codegen/oapi-codegen#2554). Remove the option with the release that has the fix.
const options = `package: cobro
generate: { models: true, client: true }
output: cobro/cobro.gen.go
output-options: { skip-prune: true }
`

/**
 * Builds the generator among this checkout's tools. Returns false where Go or a module is missing, and rejects if the build
 * fails.
 */
export async function installGoGenerator(): Promise<boolean> {
  if (!(await hasGo()) || !(await fetchModules())) return false
  const args = ['build', '-o', generator, generatorCommand]
  await run('go', args, { timeout: buildTimeoutMs, env: buildEnv, cwd: generatorModule })
  return true
}

async function hasGo(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    error => {
      process.stdout.write(`the Go client was not tested: ${error}\n`)
      return false
    },
  )
}

/** Fetches the modules of the generator and of its clients. Returns whether they exist. */
function fetchModules(): Promise<boolean> {
  return installTool(tool, 'the Go client', async () => {
    await mkdir(generatorModule, { recursive: true })
    await mkdir(clientModule, { recursive: true })
    await writeFile(join(clientModule, 'go.mod'), moduleFile)
    await writeFile(join(clientModule, 'imports.go'), importsFile)
    const go = (cwd: string, ...args: string[]) => run('go', args, { timeout: fetchTimeoutMs, env, cwd })
    await go(clientModule, 'mod', 'tidy')
    await go(generatorModule, 'mod', 'init', 'cobro.test/generator')
    await go(generatorModule, 'get', '-tool', `${generatorCommand}@${version}`)
  })
}

/** Generates the package `cobro` from the API description, and builds a program with it. Rejects if `go vet` finds something. */
export async function buildGoClient(program: string): Promise<GeneratedClient> {
  const work = await mkdtemp(join(tmpdir(), 'cobro-go-'))
  const inModule = (command: string, ...args: string[]) =>
    run(command, args, { timeout: buildTimeoutMs, env: buildEnv, cwd: work })
  await mkdir(join(work, 'cobro'))
  for (const file of ['go.mod', 'go.sum']) await copyFile(join(clientModule, file), join(work, file))
  await writeFile(join(work, 'options.yaml'), options)
  await copyFile(program, join(work, 'main.go'))
  const generated = await inModule(generator, '-config', 'options.yaml', join(root, 'openapi.json'))
  const checked = await inModule('go', 'vet', './...')
  await inModule('go', 'build', '-o', 'client', '.')
  return {
    output: [generated, checked].map(({ stdout, stderr }) => stdout + stderr).join(''),
    run: async args => JSON.parse((await inModule(join(work, 'client'), ...args)).stdout),
    remove: () => rm(work, { recursive: true, force: true }),
  }
}
