import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, testSetting, waitFor } from '@cobro/testing'

interface PgBouncerOptions {
  poolMode: 'session' | 'transaction'
  port?: number
  /** Startup parameters that PgBouncer drops, separated by commas. It rejects clients that send others. */
  ignoredParameters?: string
}

/** The user of Debian without rights, because PgBouncer refuses to run as root. */
const unprivileged = 65_534

/** Starts PgBouncer in front of a database, and returns the URL of the database behind it. */
export async function startPgBouncer(databaseUrl: string, options: PgBouncerOptions) {
  const { poolMode, port = await freePort(), ignoredParameters = '' } = options
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  // Not in TMPDIR, which is a directory that only the user who runs the tests can read.
  const dir = await mkdtemp(join('/tmp', 'cobro-pgbouncer-'))
  const file = join(dir, 'pgbouncer.ini')
  const server = `host=${hostname} port=${serverPort} user=${username} password='${decodeURIComponent(password)}'`
  const settings = [
    ...['[databases]', `${pathname.slice(1)} = ${server}`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...[`pool_mode = ${poolMode}`, `ignore_startup_parameters = ${ignoredParameters}`],
    // How long PgBouncer, without a server, tries no connection again and lets queries wait: by default 15 and 120 seconds.
    ...['server_login_retry = 1', 'query_wait_timeout = 2'],
  ]
  await writeFile(file, settings.join('\n'), { mode: 0o600 })
  const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}
  if (user.uid) for (const path of [dir, file]) await chown(path, unprivileged, unprivileged)
  const program = spawn(testSetting('PGBOUNCER_PATH'), ['--quiet', file], {
    ...user,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(program, 'spawn')
  await waitFor(async () => program.exitCode !== null || (await accepts(port)))
  expect(program.exitCode).toBeNull()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  const stop = async () => {
    if (program.exitCode === null && program.kill('SIGKILL')) await once(program, 'exit')
    await rm(dir, { recursive: true })
  }
  return { url: url.href, stop }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
