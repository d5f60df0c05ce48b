import { readBuiltDashboard } from '@cobro/dashboard'
import { checkMigrated, idempotencyOf, inboxOf } from '@cobro/database'
import { identitySigner, listenUntilStop } from '@cobro/http'
import { openPublisher } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, startInterval } from '@cobro/runtime'
import { openConnections } from '@cobro/service'
import { migrations } from '../migrations/all-gateway.ts'
import { gatewayApp } from './app.ts'
import { verifyAccessToken } from './auth/access-token.ts'
import { pruneLoginRecords } from './auth/login-failures.ts'
import { callerRecords } from './callers/caller-records.ts'
import { createGatewayServer } from './calls/gateway-server.ts'
import { publishCalls } from './calls/publish-calls.ts'
import { securityHeaders } from './calls/security-headers.ts'
import type { Config } from './config.ts'
import { openDocs } from './docs/docs-files.ts'
import { openEventStreams } from './forward/event-streams.ts'
import { identityTokens } from './forward/identity-tokens.ts'
import { openUpstreams, type UpstreamUrls } from './forward/upstreams.ts'
import { entities, schema } from './gateway-schema.ts'
import { startHealthChecks } from './health/health-checks.ts'
import { pruneMails } from './mail/mail-outbox.ts'
import type { MeRules } from './me/describe-caller.ts'
import { connectionLimits } from './network/connection-limits.ts'
import { configuredRateLimits } from './rate-limits/configured-rate-limits.ts'
import { openRateLimits } from './rate-limits/rate-limits.ts'
import { type BrowserLimits, pruneRefreshTokens } from './refresh-tokens/refresh-tokens.ts'
import { sealFactors } from './second-factor/seal-factors.ts'
import { pruneSigningKeys } from './signing-keys/signing-key-rows.ts'
import { openSigningKeys } from './signing-keys/signing-keys.ts'
import { openSpool, type Spool } from './spool/open-spool.ts'
import { registerSpoolMetrics } from './spool/spool-metrics.ts'
import { startMail } from './start-mail.ts'

const pruneEveryMs = 900_000
const sealEveryMs = 3_600_000
/** How long a stopping gateway may take to publish what is still in the spool. */
const spoolDrainMs = 10_000

/** Starts the gateway and returns its port. Stops in reverse order: requests before the spool. */
export async function startGateway(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const signIdentity = await identitySigner(reveal(config.INTERNAL_SIGNING_KEY))
  const { bus, db, publisher, consumer } = await openConnections(config, { schema, entities }, onStop, logger)
  const spool = await startSpool(config.SPOOL_DIR, bus, onStop)
  const upstreams = openUpstreams({ urls: upstreamUrls(config), timeoutMs: config.UPSTREAM_TIMEOUT_MS })
  onStop(upstreams.close)
  const health = startHealthChecks({ upstreams, ping: db.ping, brokerConnected: publisher.connected, logger })
  onStop(health.stop)
  const idempotency = idempotencyOf({ db, keys: config.ENCRYPTION_KEYS, logger })
  const inbox = inboxOf(db)
  const pruned = [pruneLoginRecords, pruneRefreshTokens, pruneSigningKeys, pruneMails]
  const prune = () => Promise.all([...pruned.map(rows => rows(db)), idempotency.prune(), inbox.prune()])
  onStop(startInterval(pruneEveryMs, 'prune', prune, logger).stop)
  const sealAgain = () => sealFactors(db, config.ENCRYPTION_KEYS)
  onStop(startInterval(sealEveryMs, 'seal factors', sealAgain, logger).stop)
  const mails = startMail(config, { db, inbox, consumer, logger }, onStop)

  const tokens = { keys: openSigningKeys({ db, encryptionKeys: config.ENCRYPTION_KEYS }), issuer: config.PUBLIC_URL }
  const streams = openEventStreams()
  const limits = openRateLimits(configuredRateLimits(config, logger))
  const { TRUSTED_PROXIES: trustedProxies, CONNECTIONS_PER_ADDRESS: perAddress } = config
  const connections = connectionLimits({ limits, perAddress, trustedProxies })
  const app = gatewayApp({
    db,
    docs: openDocs(config.PUBLIC_URL),
    dashboard: readBuiltDashboard(),
    tokens,
    mails,
    environment: config.COBRO_ENV,
    encryptionKeys: config.ENCRYPTION_KEYS,
    mfa: config.MFA ?? defaultMfa[config.COBRO_ENV],
    browser: browserLimits(config),
    health,
    upstreams,
    streams,
    logger,
    records: callerRecords({ db, peppers: config.API_KEY_PEPPERS, logger }),
    keySettings: { environment: config.COBRO_ENV, peppers: config.API_KEY_PEPPERS },
    verifyUserToken: token => verifyAccessToken(tokens, token),
    identityFor: identityTokens(signIdentity),
    rules: deploymentRules(config, mails.enabled ? ['mail'] : []),
    idempotency,
    limits,
    connections,
    origins: config.CORS_ORIGINS,
    ready: () => checkMigrated(db, migrations),
  })
  const headers = securityHeaders(config.COBRO_ENV)
  const server = createGatewayServer({ app, spool, headers, trustedProxies, connections, logger }, config)
  return listenUntilStop(server, config, onStop, { logger, endStreams: streams.end })
}

/**
 * Starts the spool on a connection of its own: the broker closes a channel that publishes without the
 * right to, and the other messages of that channel are in doubt.
 */
async function startSpool(dir: string, bus: Parameters<typeof openPublisher>[0], onStop: OnStop): Promise<Spool> {
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const spool = await openSpool({ dir, publish: publishCalls(publisher), logger: bus.logger })
  onStop(() => spool.close({ timeoutMs: spoolDrainMs }))
  registerSpoolMetrics(spool)
  return spool
}

/** In production people who act for all merchants have a second factor. */
const defaultMfa = { sandbox: 'optional', production: 'operators' } as const

function browserLimits({ DASHBOARD_IDLE_MINUTES: minutes, DASHBOARD_MAX_HOURS: hours }: Config): BrowserLimits {
  return { idleMs: minutes * 60_000, maxMs: hours * 3_600_000 }
}

function deploymentRules({ CURRENCIES, HOSTED_URL, PUBLIC_URL, TRACE_URL }: Config, features: string[]): MeRules {
  const hostedUrl = new URL(HOSTED_URL ?? PUBLIC_URL).origin
  const dashboardUrl = `${PUBLIC_URL.replace(/\/+$/, '')}/dashboard`
  return { currencies: CURRENCIES, hostedUrl, dashboardUrl, traceUrl: TRACE_URL, features }
}

function upstreamUrls(config: Config): UpstreamUrls {
  return {
    checkout: config.CHECKOUT_URL,
    transactions: config.TRANSACTIONS_URL,
    'webhooks-dispatcher': config.WEBHOOKS_URL,
    'audit-log': config.AUDIT_URL,
  }
}
