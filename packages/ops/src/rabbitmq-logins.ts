import { createHash, randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { type LoginName, loginDefinitions, loginNames } from '@cobro/contracts/broker'
import { CommandError } from './command-error.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

const minPasswordLength = 12

/**
 * `rabbitmq logins [--suffix <text>] [--vhost <name>]`: reads a JSON object with passwords by login
 * from the standard input, and prints these logins with their rights as RabbitMQ imports them.
 */
export function printLogins(args: string[]) {
  const { suffix, vhost } = readArguments(args, { suffix: { type: 'string' }, vhost: { type: 'string' } }).values
  if (suffix !== undefined && !/^[\w-]{1,32}$/.test(suffix))
    throw new UsageError('--suffix: expected 1 to 32 letters, digits, - or _.')
  return async () => {
    const passwords = parsePasswords(await text(process.stdin))
    const logins = passwords.map(([login, password]) => ({
      login,
      ...(suffix ? { suffix } : {}),
      credentials: hashed(password),
    }))
    const { AMQP_NAMESPACE: namespace = 'cobro' } = process.env
    const definitions = loginDefinitions({ namespace, ...(vhost ? { vhost } : {}), logins })
    process.stdout.write(`${JSON.stringify(definitions, null, 2)}\n`)
    return 0
  }
}

/** Throws an error that does not repeat the input, which has passwords. */
function parsePasswords(input: string): [LoginName, string][] {
  const given = Object.entries(parseObject(input))
  if (given.length === 0) throw new CommandError('Give at least one password.')
  return given.map(([name, password]) => {
    const login = loginNames.find(known => known === name)
    if (!login) throw new CommandError(`Unknown login: expected ${loginNames.join(', ')}.`)
    if (typeof password !== 'string' || password.length < minPasswordLength)
      throw new CommandError(`${login}: expected a password of at least ${minPasswordLength} characters.`)
    return [login, password]
  })
}

function parseObject(input: string): object {
  const rejected = new CommandError('Expected a JSON object with passwords by login in the standard input.')
  try {
    const value: unknown = JSON.parse(input)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    throw rejected
  }
  throw rejected
}

/** Hashes a password in RabbitMQ's form: a salt of four bytes, and the SHA-256 of salt and password. */
function hashed(password: string) {
  const salt = randomBytes(4)
  const hash = createHash('sha256').update(salt).update(password).digest()
  return {
    password_hash: Buffer.concat([salt, hash]).toString('base64'),
    hashing_algorithm: 'rabbit_password_hashing_sha256',
  }
}
