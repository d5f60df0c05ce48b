// Runs a task of the local launcher on a machine that has Node 20 or newer, and npm, and nothing else: it fetches the pinned
// pnpm and Node and the packages first. Plain JavaScript without dependencies, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const tools = join(root, '.tools')
const bin = join(root, 'node_modules', '.bin')
const tasks = ['start', 'stop', 'status', 'reset', 'pay', 'test', 'generate', 'bench', 'ops']
/** Tasks that are packages, not the launcher's own. */
const ownPackage = new Set(['generate', 'bench', 'ops'])
const startedAt = Date.now()

const report = line => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** npm hands its own settings down as variables, which would reach pnpm and every service. Only the registry is meant for others. */
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
  const words = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim()
  fail(`${words}\n\n${command} ${args[0]} failed: the lines above say why. Mend that and run the command again.`)
}

function installPnpm(env) {
  const pin = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager
  const version = pin.slice(pin.indexOf('@') + 1)
  const installed = join(tools, 'node_modules', 'pnpm', 'package.json')
  if (existsSync(installed) && JSON.parse(readFileSync(installed, 'utf8')).version === version) return
  checkSpace(1500)
  report(`fetching pnpm ${version}`)
  mkdirSync(env.HOME, { recursive: true })
  run('npm', ['install', '--prefix', tools, '--no-save', '--no-audit', '--no-fund', `pnpm@${version}`], env)
}

function installPackages(env) {
  const stamp = join(root, 'node_modules', '.installed-from')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  checkSpace(1000)
  report('installing packages and Node 24')
  // As in CI, pnpm must not ask anything.
  run('pnpm', ['install', '--frozen-lockfile'], { ...env, CI: 'true' })
  writeFileSync(stamp, wanted)
  report('packages are installed')
}

/** The pinned Node, else the running one where the pin has no build for the platform and the running one will do. */
function findNode() {
  const pinned = join(bin, 'node')
  if (existsSync(pinned)) return pinned
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(
    `There is no packaged Node 24 for ${process.platform} ${process.arch}: install Node 24 and run the command again.`,
  )
}

function runTask(task, args, env) {
  const file = ownPackage.has(task) ? join(root, 'packages', task, 'src', 'main.ts') : join(here, 'src', `${task}.ts`)
  const child = spawn(findNode(), ['--conditions=cobro-source', file, ...args], { cwd: root, env, stdio: 'inherit' })
  // The task stops what it started and then ends; leaving before it would hand an unfinished stop to nobody.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A signal to npm ends npm and its shell, and nobody passes it on to us.
  const parent = process.ppid
  const orphaned = () => process.ppid !== parent && child.kill('SIGTERM')
  if (process.env.npm_lifecycle_event) setInterval(orphaned, 500)
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

const [task, ...args] = process.argv.slice(2)
if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Node 20 or newer is needed, and this is ${process.version}.`)
if (!tasks.includes(task)) fail(`Unknown task ${task ?? ''}: expected one of ${tasks.join(', ')}.`)
if (!canWrite(root)) fail(`The folder ${root} cannot be written by this user: use a copy that is yours.`)
const env = { ...cleanEnvironment(), COBRO_STARTED_AT: String(startedAt) }
installPnpm(env)
installPackages(env)
runTask(task, args, env)
