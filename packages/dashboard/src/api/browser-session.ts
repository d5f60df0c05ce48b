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
    lock: work => (navigator.locks ? navigator.locks.request(channelName, () => caughtUp().then(work)) : work()),
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
 * Resolves once this page has got what another tab announced before that gave the lock away: the lock may come sooner, but a message
 * of this page to itself does not.
 */
function caughtUp(): Promise<void> {
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
