// Entry point of the npm scripts. Needs only Node 20 or newer and npm: it installs the pinned pnpm, the pinned Node and the
// packages, then runs the command. Plain JavaScript without dependencies, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tools = join(root, '.tools')
const bin = join(root, 'node_modules', '.bin')
/** The file that each command runs. */
const commands = {
  ...Object.fromEntries(
    ['start', 'stop', 'status', 'reset', 'pay', 'test'].map(name => [
      name,
      `packages/local-stack/src/commands/${name}.ts`,
    ]),
  ),
  ...Object.fromEntries(
    ['generate', 'bench', 'ops', 'supply-chain'].map(name => [name, `packages/${name}/src/main.ts`]),
  ),
}
const startedAt = Date.now()

const report = line => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)

function fail(message) {
  console.error(message)
  process.exit(1)
}

/** Drops npm's variables except the registry, because pnpm and every service would inherit them. */
function cleanEnvironment() {
  const env = { ...process.env }
  for (const name of Object.keys(env)) {
    if (/^npm_/.test(name) && name !== 'npm_config_registry') delete env[name]
  }
  env.PATH = [bin, join(tools, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  if (!canWrite(env.HOME)) env.HOME = join(tools, 'home')
  return env
}

function canWrite(folder) {
  try {
    accessSync(folder ?? '', constants.W_OK)
    return true
  } catch {
    return false
  }
}

function checkSpace(megabytes) {
  const { bavail, bsize } = statfsSync(root)
  const free = Math.floor((bavail * bsize) / 1024 / 1024)
  if (free < megabytes)
    fail(
      `The disk is full: ${free} MB are free and ${megabytes} MB are needed. Free some space and run the command again.`,
    )
}

function run(command, args, env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (status === 0) return
  const output = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim()
  fail(`${output}\n\n${command} ${args[0]} failed: see the output above. Fix the cause and run the command again.`)
}

function installPnpm(env) {
  const pin = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager
  const version = pin.slice(pin.indexOf('@') + 1)
  const installed = join(tools, 'node_modules', 'pnpm', 'package.json')
  if (existsSync(installed) && JSON.parse(readFileSync(installed, 'utf8')).version === version) return
  checkSpace(1500)
  report(`installing pnpm ${version}`)
  mkdirSync(env.HOME, { recursive: true })
  run('npm', ['install', '--prefix', tools, '--no-save', '--no-audit', '--no-fund', `pnpm@${version}`], env)
}

function installPackages(env) {
  const stamp = join(root, 'node_modules', '.installed-from')
  const current = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  checkSpace(1000)
  report('installing packages and Node 24')
  // With CI set, pnpm does not prompt.
  run('pnpm', ['install', '--frozen-lockfile'], { ...env, CI: 'true' })
  writeFileSync(stamp, current)
  report('packages installed')
}

/** Returns the pinned Node if this platform has one, else the running Node if it is new enough. */
function findNode() {
  const pinned = join(bin, 'node')
  if (existsSync(pinned)) return pinned
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(
    `No packaged Node 24 exists for ${process.platform} ${process.arch}: install Node 24 and run the command again.`,
  )
}

function runCommand(command, args, env) {
  const file = join(root, commands[command])
  const child = spawn(findNode(), ['--conditions=cobro-source', file, ...args], { cwd: root, env, stdio: 'inherit' })
  // Forward signals and wait: the command stops everything it started, and then exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A signal to npm ends npm and its shell without reaching this process, so watch for a new parent.
  const parent = process.ppid
  const orphaned = () => process.ppid !== parent && child.kill('SIGTERM')
  if (process.env.npm_lifecycle_event) setInterval(orphaned, 500)
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

const [command, ...args] = process.argv.slice(2)
if (Number(process.versions.node.split('.')[0]) < 20) fail(`Node 20 or newer is required. This is ${process.version}.`)
if (!Object.hasOwn(commands, command ?? ''))
  fail(`Unknown command ${command ?? ''}: expected one of ${Object.keys(commands).join(', ')}.`)
if (!canWrite(root)) fail(`This user cannot write to ${root}: use a copy of your own.`)
const env = { ...cleanEnvironment(), COBRO_STARTED_AT: String(startedAt) }
installPnpm(env)
installPackages(env)
runCommand(command, args, env)
