import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a program may take to fail. Some go on for as long as the browser does. */
const settledMs = 2_000

/** Opens an http URL in the browser of this machine. Returns whether that seems to have worked. */
export async function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = openerOf(url)
  if (program === undefined) return false
  const child = spawn(program, args, { detached: true, stdio: 'ignore' })
  const settled = new AbortController()
  try {
    const exited = once(child, 'exit', settled).then(([code]) => code === 0)
    return await Promise.race([exited, sleep(settledMs, true, settled)])
  } catch {
    return false
  } finally {
    settled.abort()
    child.unref()
  }
}

/** Returns the command that opens a URL; none where there is no desktop. */
function openerOf(url: string): string[] {
  if (process.platform === 'darwin') return ['open', url]
  // `start` is of the shell, which gives a meaning to `&`.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  const { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env
  return DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME ? ['xdg-open', url] : []
}
