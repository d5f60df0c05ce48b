import { Session, type TabMessage } from './session.ts'
import { forgetUsers } from './user-storage.ts'

const channelName = 'cobro.session'
const loginKey = 'cobro.login'

/** Opens the session of this browser, which its tabs share. */
function openBrowserSession(): Session {
  const channel = new BroadcastChannel(channelName)
  const session = new Session({
    fetch: (...args) => fetch(...args),
    // Over plain http, other than on this machine, browsers have no locks. The server forgives tabs that refresh at once.
    lock: work => (navigator.locks ? navigator.locks.request(channelName, () => inOrder(work)) : work()),
    remember: hasLogin => (hasLogin ? localStorage.setItem(loginKey, 'open') : localStorage.removeItem(loginKey)),
    remembers: () => localStorage.getItem(loginKey) !== null,
    forget: () => forgetUsers(localStorage),
    announce: message => channel.postMessage(message),
    now: () => Date.now(),
  })
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => session.received(data)
  return session
}

/**
 * Runs the work of a tab that holds the lock. A browser may grant the lock before it delivers a message that was sent earlier. So
 * this tab first waits for what the one before has announced, and keeps the lock until its own messages are on their way.
 */
async function inOrder<T>(work: () => Promise<T>): Promise<T> {
  await roundTrip()
  try {
    return await work()
  } finally {
    await roundTrip()
  }
}

/** Sends a message from this page to itself. Browsers deliver it after all that this page has sent or been sent before. */
function roundTrip(): Promise<void> {
  const name = `${channelName} ${crypto.randomUUID()}`
  const [sender, receiver] = [new BroadcastChannel(name), new BroadcastChannel(name)]
  return new Promise(resolve => {
    receiver.onmessage = () => {
      for (const channel of [sender, receiver]) channel.close()
      resolve()
    }
    sender.postMessage('')
  })
}

/** The session of this page, for as long as the page is there. */
export const session = openBrowserSession()
