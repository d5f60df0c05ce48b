import type { OpenLogin } from './open-login.ts'
import { Session, type SessionState, type TabMessage } from './session.ts'

const minute = 60_000
const start = Date.parse('2026-11-26T12:00:00Z')
const user = { id: 'usr_1', email: 'ana@example.com' }

type Answer = [number, object]

/** A browser whose clock and server the test controls. Tabs of one browser share both. */
function browser() {
  let nowMs = start
  let made = 0
  let hasLogin = true
  let timesForgotten = 0
  const calls: string[] = []
  const tabs: { session: Session; said: TabMessage[] }[] = []
  const answers: Record<string, Answer> = {}
  let waiting: Promise<unknown> = Promise.resolve()
  const login = () => ({
    token: `token ${++made}`,
    user,
    expires_in: 900,
    idle_seconds: 1_800,
    ends_in: (start + 12 * 60 * minute - nowMs) / 1_000,
  })
  const answerOf = (what: string): Answer => answers[what] ?? [200, what === 'logout' ? {} : login()]
  const fetch = async (url: string) => {
    const what = url.replace('/api/auth/browser/', '')
    calls.push(what)
    const [status, body] = answerOf(what)
    if (status === 0) throw new TypeError('no connection')
    return new Response(JSON.stringify(body), { status, headers: status === 429 ? { 'retry-after': '30' } : {} })
  }
  const openTab = () => {
    const said: TabMessage[] = []
    const session = new Session({
      fetch: fetch as unknown as typeof globalThis.fetch,
      lock: work => {
        const result = waiting.then(work)
        waiting = result.catch(() => undefined)
        return result
      },
      announce: message => {
        said.push(message)
        for (const tab of tabs) if (tab.session !== session) tab.session.received(message)
      },
      remember: has => {
        hasLogin = has
      },
      remembers: () => hasLogin,
      forget: () => {
        timesForgotten++
      },
      now: () => nowMs,
    })
    tabs.push({ session, said })
    return session
  }
  return {
    calls,
    openTab,
    timesForgotten: () => timesForgotten,
    answer: (what: string, answer: Answer) => {
      answers[what] = answer
    },
    hasNoLogin: () => {
      hasLogin = false
    },
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const loginOf = (state: SessionState): OpenLogin | undefined => (state.kind === 'open' ? state.login : undefined)
const closed = (session: Session) =>
  new Promise<void>(resolve => {
    session.subscribe(() => session.state().kind === 'closed' && resolve())
  })
const loginOfOther: OpenLogin = {
  ...{ token: 'token of another', user: { ...user, id: 'usr_2' } as OpenLogin['user'] },
  ...{ refreshedAtMs: start, expiresAtMs: start + minute, idleAtMs: start + minute, endsAtMs: start + minute },
}
const ana = { email: 'ana@example.com', password: 'a long password' }

test('a browser with a login goes on with it, and one without shows the login page', async () => {
  const known = browser()
  const session = known.openTab()
  expect(session.state()).toEqual({ kind: 'starting' })
  await session.resume()
  expect(loginOf(session.state())?.token).toBe('token 1')

  const unknown = browser()
  unknown.answer('refresh', [401, { error: 'unauthorized' }])
  const other = unknown.openTab()
  await other.resume()
  expect(other.state()).toEqual({ kind: 'closed' })
})

test('a browser that has never had a login asks for none', async () => {
  const there = browser()
  there.hasNoLogin()
  const session = there.openTab()
  await session.resume()
  expect([session.state(), there.calls]).toEqual([{ kind: 'closed' }, []])
})

test('a browser that cannot reach the server says so instead of logging out', async () => {
  const away = browser()
  away.answer('refresh', [0, {}])
  const session = away.openTab()
  await session.resume()
  expect(session.state()).toEqual({ kind: 'closed', reason: 'unreachable' })
})

test('a login that asks for a code says with what to send it', async () => {
  const there = browser()
  there.answer('login', [401, { error: 'mfa_required: continue', mfa_token: 'mfa', mfa_setup: true }])
  const session = there.openTab()
  await expect(session.logIn(ana)).rejects.toMatchObject({ code: 'mfa_required', mfaToken: 'mfa', mfaSetup: true })
  expect(session.state().kind).not.toBe('open')
  await session.logInWithCode({ mfa_token: 'mfa', code: '123456' })
  expect(session.state().kind).toBe('open')
})

test('a login with recovery codes begins once the user has stored them', async () => {
  const there = browser()
  there.answer('login/factor', [
    200,
    {
      token: 'first',
      user,
      expires_in: 900,
      idle_seconds: 1_800,
      ends_in: 43_200,
      recovery_codes: ['k'],
    },
  ])
  const session = there.openTab()
  const codes = await session.logInWithCode({ mfa_token: 'mfa', code: '123456' })
  expect([codes?.recoveryCodes, session.state().kind]).toEqual([['k'], 'starting'])
  codes?.proceed()
  expect(session.state().kind).toBe('open')
})

test('a login that is limited says when to try again', async () => {
  const there = browser()
  there.answer('login', [429, { error: 'rate_limited: too many' }])
  await expect(there.openTab().logIn(ana)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 30 })
})

test('calls use the token until a minute before it expires, and then refresh it once for all that wait', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  there.pass(14 * minute - 1)
  session.active()
  expect(await session.token()).toBe('token 1')
  there.pass(1)
  expect(await Promise.all([session.token(), session.token(), session.token()])).toEqual(Array(3).fill('token 2'))
  expect(there.calls).toEqual(['login', 'refresh'])
})

test('a refresh that fails leaves the token that is still valid', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  there.answer('refresh', [503, { error: 'unavailable' }])
  there.pass(14 * minute)
  session.active()
  expect(await session.token()).toBe('token 1')
  there.pass(minute)
  await expect(session.token()).rejects.toThrow('unavailable')
  expect(session.state().kind).toBe('open')
})

test('a login that the server has ended closes every tab', async () => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  there.answer('refresh', [401, { error: 'unauthorized' }])
  there.pass(14 * minute)
  one.active()
  const waiting = one.token()
  await closed(one)
  for (const tab of [one, other]) expect(tab.state()).toEqual({ kind: 'closed', reason: 'ended', waitsFor: user })
  await other.logIn(ana)
  expect(await waiting).toBe('token 2')
})

test('two tabs at once refresh once, over three refreshes', async () => {
  const there = browser()
  const tabs = [there.openTab(), there.openTab()]
  await tabs[0]?.logIn(ana)
  for (let round = 2; round <= 4; round++) {
    there.pass(14 * minute)
    for (const tab of tabs) tab.active()
    expect(await Promise.all(tabs.map(tab => tab.token()))).toEqual([`token ${round}`, `token ${round}`])
  }
  expect(there.calls).toEqual(['login', 'refresh', 'refresh', 'refresh'])
})

test('a check refreshes the login of a user who is there, and not that of one who is not', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  there.pass(14 * minute)
  await session.check()
  expect(there.calls).toEqual(['login'])
  session.active()
  await session.check()
  expect(there.calls).toEqual(['login', 'refresh'])
})

/** Sends calls as the client of the API does, to a server that refuses a token from a second before the browser takes it for expired. */
function pollingPage(there: ReturnType<typeof browser>, session: Session) {
  const sent: string[] = []
  const expiresAt = new Map<string, number>()
  const isRefused = (token: string) => {
    const { login } = session.state() as Extract<SessionState, { kind: 'open' }>
    if (login.token === token) expiresAt.set(token, login.expiresAtMs - 1_000)
    sent.push(token)
    return there.now() >= (expiresAt.get(token) ?? 0)
  }
  const call = async () => {
    const caller = session.caller()
    const token = await session.token(caller)
    if (isRefused(token)) isRefused(await session.renewed(token, caller))
  }
  return { sent, call }
}

test.each([0, 1])(
  'a page that asks again and again by itself keeps no login alive: from second %i on',
  async offset => {
    const there = browser()
    const session = there.openTab()
    await session.logIn(ana)
    const { sent, call } = pollingPage(there, session)
    there.pass(offset * 1_000)
    const polls: Promise<void>[] = []
    for (let passed = 0; passed < 30 * minute; passed += 15_000) {
      there.pass(14_000)
      polls.push(call())
      await new Promise(setImmediate)
      there.pass(1_000)
      await session.check()
    }
    expect([there.calls, new Set(sent)]).toEqual([['login'], new Set(['token 1'])])
    expect(session.state()).toEqual({ kind: 'closed', reason: 'idle', waitsFor: user })
    await session.logIn(ana)
    await Promise.all(polls)
    expect(sent.at(-1)).toBe('token 2')
  },
)

test('a call of a page whose token has expired is sent once its user does something', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  const { sent, call } = pollingPage(there, session)
  there.pass(15 * minute - 500)
  const refused = call()
  there.pass(500)
  const early = call()
  await new Promise(setImmediate)
  expect([sent, there.calls]).toEqual([['token 1'], ['login']])
  session.active()
  await Promise.all([refused, early])
  expect([sent, there.calls]).toEqual([
    ['token 1', 'token 2', 'token 2'],
    ['login', 'refresh'],
  ])
})

test('a refused token is renewed, and one of an ended login ends it', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  expect(await session.renewed('token 1')).toBe('token 2')
  expect(await session.renewed('token 1')).toBe('token 2')
  there.answer('refresh', [401, { error: 'unauthorized' }])
  const waiting = session.renewed('token 2')
  await closed(session)
  expect(session.state()).toEqual({ kind: 'closed', reason: 'ended', waitsFor: user })
  await session.logIn(ana)
  expect(await waiting).toBe('token 3')
})

test.each<[string, Answer?]>([
  ['refreshes it'],
  ['cannot be reached', [0, {}]],
  ['is not available', [503, { error: 'unavailable' }]],
])('a login goes on if the server %s', async (_what, answer) => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  if (answer) there.answer('refresh', answer)
  expect(await session.goesOn()).toBe(true)
  expect([session.state().kind, there.calls]).toEqual(['open', ['login', 'refresh']])
})

test('whether a login goes on is known in a second tab once its user has logged in again in the first', async () => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  there.answer('refresh', [401, { error: 'unauthorized' }])
  const answers = Promise.all([one.goesOn(), other.goesOn()])
  await Promise.all([closed(one), closed(other)])
  // Both have their turn of the lock before anyone can type a password.
  await new Promise(setImmediate)
  for (const tab of [one, other]) expect(tab.state()).toEqual({ kind: 'closed', reason: 'ended', waitsFor: user })
  await one.logIn(ana)
  expect(await answers).toEqual([false, false])
  expect(there.calls).toEqual(['login', 'refresh', 'login'])
})

test('a call of one user never goes out with the token of another', async () => {
  const session = browser().openTab()
  await session.logIn(ana)
  const caller = session.caller()
  session.received({ kind: 'open', login: loginOfOther })
  for (const token of [session.token(caller), session.renewed('token 1', caller)])
    await expect(token).rejects.toThrow('There is no login.')
  expect(await session.token()).toBe('token of another')
})

test.each<[string, (session: Session, giveUp: () => void) => unknown]>([
  ['is given up', (_session, giveUp) => giveUp()],
  ['its user logs out instead', session => session.logOut()],
  ['another user logs in', session => session.received({ kind: 'open', login: loginOfOther })],
])('a call that waits for its user ends when it %s', async (_why, end) => {
  const session = browser().openTab()
  await session.logIn(ana)
  session.received({ kind: 'closed', reason: 'ended' })
  const patience = new AbortController()
  const waiting = session.token(session.caller(patience.signal))
  const refused = expect(waiting).rejects.toThrow('There is no login.')
  await end(session, () => patience.abort())
  await refused
})

test('the answer to a refresh that comes after the logout of another tab opens nothing', async () => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  const renewing = one.renewed('token 1')
  other.received({ kind: 'closed', reason: 'logged_out' })
  one.received({ kind: 'closed', reason: 'logged_out' })
  await expect(renewing).rejects.toThrow('There is no login.')
  for (const tab of [one, other]) expect(tab.state().kind).toBe('closed')
})

test('the login of another user in another tab closes this one first', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  const login = loginOf(session.state())
  const seen: string[] = []
  session.subscribe(() => seen.push(session.state().kind))
  if (login) session.received({ kind: 'open', login: { ...login, user: { ...login.user, id: 'usr_2' } } })
  expect(seen).toEqual(['closed', 'open'])
})

test('a user who does nothing is warned a minute before the end, and then logged out', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  there.pass(29 * minute)
  await session.check()
  expect(session.state()).toMatchObject({ kind: 'open', endsSoon: 'idle' })
  there.pass(minute)
  await session.check()
  expect(session.state()).toEqual({ kind: 'closed', reason: 'idle', waitsFor: user })
})

test('a warned user who does something stays', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  there.pass(29 * minute)
  await session.check()
  session.active()
  await session.token()
  expect(session.state()).toMatchObject({ kind: 'open', endsSoon: undefined })
})

/** Passes time in which a user does something every ten minutes. */
async function use(there: ReturnType<typeof browser>, session: Session, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 10) {
    there.pass(Math.min(10, minutes - passed) * minute)
    session.active()
    await session.check()
  }
}

test('a login that ends in any case says so a minute before, and is not refreshed by what its user does', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  await use(there, session, 12 * 60 - 1)
  expect(session.state()).toMatchObject({ kind: 'open', endsSoon: 'ended' })
  const before = there.calls.length
  session.active()
  await session.token()
  await session.check()
  expect(there.calls.length).toBe(before)
})

test('a user who comes back in the last minute of a login does not refresh it either', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  await use(there, session, 11.5 * 60 - 0.5)
  await session.goesOn()
  there.pass(29.1 * minute)
  await session.check()
  expect(session.state()).toMatchObject({ kind: 'open', endsSoon: 'idle' })
  const before = there.calls.length
  there.pass(minute / 2)
  session.active()
  await session.token()
  expect(there.calls.length).toBe(before)
})

test('a login ends after twelve hours, although its user is there', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  await use(there, session, 12 * 60)
  expect(session.state()).toEqual({ kind: 'closed', reason: 'ended', waitsFor: user })
})

test('a logout ends every tab, and says so if the server could not be reached', async () => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  there.answer('logout', [0, {}])
  await one.logOut()
  for (const tab of [one, other]) expect(tab.state()).toEqual({ kind: 'closed', reason: 'not_logged_out' })
  there.answer('logout', [200, {}])
  await one.logOut()
  for (const tab of [one, other]) expect(tab.state()).toEqual({ kind: 'closed', reason: 'logged_out' })
})

test.each<[string, Answer]>([
  ['reaches the server', [200, {}]],
  ['does not', [0, {}]],
])('a logout that %s forgets its user in every tab', async (_what, answer) => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  expect(there.timesForgotten()).toBe(0)
  there.answer('logout', answer)
  await other.logOut()
  expect(there.timesForgotten()).toBe(2)
})

test.each(['idle', 'ended'] as const)(
  'a page that waits for its user after the end %j forgets it for another',
  async reason => {
    const there = browser()
    const session = there.openTab()
    await session.logIn(ana)
    session.received({ kind: 'closed', reason })
    await session.logIn(ana)
    session.received({ kind: 'closed', reason })
    expect(there.timesForgotten()).toBe(0)
    session.received({ kind: 'open', login: loginOfOther })
    expect(there.timesForgotten()).toBe(1)
  },
)

test('a page that begins without a login forgets the users of before, unless the server cannot say so', async () => {
  const there = browser()
  there.answer('refresh', [0, {}])
  const session = there.openTab()
  await session.resume()
  expect(there.timesForgotten()).toBe(0)
  there.answer('refresh', [401, { error: 'unauthorized' }])
  await session.resume()
  expect(there.timesForgotten()).toBe(1)
  await there.openTab().resume()
  expect(there.timesForgotten()).toBe(2)
})

test('confirmations do not keep a user who is there from being refreshed', async () => {
  const there = browser()
  const session = there.openTab()
  await session.logIn(ana)
  for (let passed = 1; passed <= 40; passed++) {
    there.pass(minute)
    session.active()
    if (passed === 13 || passed === 26) session.confirmed(`confirmed ${passed}`, 900)
    await session.check()
    expect([passed, session.state()]).toMatchObject([passed, { kind: 'open', endsSoon: undefined }])
  }
})

test('a confirmed login is used in every tab', async () => {
  const there = browser()
  const [one, other] = [there.openTab(), there.openTab()]
  await one.logIn(ana)
  one.confirmed('fresh token', 900)
  expect(await Promise.all([one.token(), other.token()])).toEqual(['fresh token', 'fresh token'])
})
