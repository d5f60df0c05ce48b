import { type LoginName, loginRights } from './login-permissions.ts'

/** A login's user, with the properties of its password. */
interface Login {
  login: LoginName
  /** Distinguishes two users of the same login while one replaces the other. */
  suffix?: string
  credentials: { password: string } | { password_hash: string; hashing_algorithm: string }
}

/** Returns the name of a login's user: `cobro-checkout`, or `cobro-checkout-2` with the suffix 2. */
export const loginUser = (namespace: string, login: LoginName, suffix?: string) =>
  [namespace, login, ...(suffix ? [suffix] : [])].join('-')

/**
 * Returns users and permissions as RabbitMQ imports them, with `rabbitmqctl import_definitions` or
 * a POST to `/api/definitions`. An import sets the given passwords and rights, and changes nothing else.
 */
export function loginDefinitions(options: { namespace: string; vhost?: string; logins: Login[] }) {
  const { namespace, vhost = '/', logins } = options
  const rights = loginRights(namespace)
  const users = logins.map(({ login, suffix, credentials }) => ({
    user: loginUser(namespace, login, suffix),
    credentials,
    rights: rights[login],
  }))
  return {
    users: users.map(({ user, credentials }) => ({ name: user, ...credentials, tags: '' })),
    permissions: users.map(({ user, rights: { topics: _, ...permission } }) => ({ user, vhost, ...permission })),
    topic_permissions: users.flatMap(({ user, rights: { topics } }) =>
      topics.map(topic => ({ user, vhost, ...topic })),
    ),
  }
}
