import { register } from 'import-in-the-middle/register-hooks.mjs'

// Loaded by `node --import @cobro/runtime/telemetry`. Registers the ESM hook before any of these libraries is loaded, so everything else
// is imported afterwards. Without it pino is not traced. Can go once the SDK registers the hook itself
// (open-telemetry/opentelemetry-js#4933).
register({ include: ['http', 'https', 'undici', 'amqplib', 'pg', 'pino'] })

const { startTelemetry } = await import('./start-telemetry.ts')
await startTelemetry(process.env)
