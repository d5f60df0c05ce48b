import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GeneratedClient, installTool, root, toolFolder } from './installed-tool.ts'

const run = promisify(execFile)
const version = 'v2.8.2'
const tool = `oapi-codegen-${version}`
const folder = toolFolder(tool)
const source = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${version}`
/** A build takes one to four minutes on two cores. */
const buildTimeoutMs = 480_000

// By default Go's caches are in the home folder, and cannot be deleted. Here they serve the next run too.
const env = {
  ...process.env,
  GOBIN: folder,
  GOPATH: join(folder, 'path'),
  GOCACHE: join(folder, 'cache'),
  GOFLAGS: `${process.env.GOFLAGS ?? ''} -modcacherw`.trim(),
}

const moduleFile = `module cobro.test/client

go 1.26

require github.com/oapi-codegen/runtime v1.9.0
`
// Without skip-prune it leaves out components to which only webhooks refer, and the client does not compile
// (oapi-codegen/oapi-codegen#2554). Remove the option with the release that has the fix.
const options = `package: cobro
generate: { models: true, client: true }
output: cobro/cobro.gen.go
output-options: { skip-prune: true }
`

/** Builds the generator among this checkout's tools. Returns whether it exists. */
export function installGoGenerator(): Promise<boolean> {
  return installTool(tool, 'the Go client', () => run('go', ['install', source], { timeout: buildTimeoutMs, env }))
}

/** Generates the package `cobro` from the API description, and builds a program with it. Rejects if `go vet` finds something. */
export async function buildGoClient(program: string): Promise<GeneratedClient> {
  const work = await mkdtemp(join(tmpdir(), 'cobro-go-'))
  const inModule = (command: string, ...args: string[]) =>
    run(command, args, { timeout: buildTimeoutMs, env, cwd: work })
  await mkdir(join(work, 'cobro'))
  await writeFile(join(work, 'go.mod'), moduleFile)
  await writeFile(join(work, 'options.yaml'), options)
  await copyFile(program, join(work, 'main.go'))
  const generated = await inModule(join(folder, 'oapi-codegen'), '-config', 'options.yaml', join(root, 'openapi.json'))
  await inModule('go', 'mod', 'tidy')
  const checked = await inModule('go', 'vet', './...')
  await inModule('go', 'build', '-o', 'client', '.')
  return {
    output: [generated, checked].map(({ stdout, stderr }) => stdout + stderr).join(''),
    run: async args => JSON.parse((await inModule(join(work, 'client'), ...args)).stdout),
    remove: () => rm(work, { recursive: true, force: true }),
  }
}
