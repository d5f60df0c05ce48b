import { runService } from '@cobro/runtime'
import { lifecycleCommands } from '@cobro/service'
import { migrations } from '../migrations/all-audit-log.ts'
import { acceptRestoreCommand } from './accept-restore-command.ts'
import { config } from './config.ts'
import { retireCommand } from './retire-command.ts'
import { schema, startAuditLog } from './start-audit-log.ts'
import { verifyCommand } from './verify-command.ts'

await runService('audit-log', {
  ...lifecycleCommands({
    schema,
    queues: ['audit-log.events', 'audit-log.calls', 'audit-log.webhook-attempts'],
    migrations,
    start: (onStop, logger) => startAuditLog(config(), onStop, logger),
  }),
  retire: retireCommand,
  'accept-restore': onStop => acceptRestoreCommand(onStop, process.argv.slice(3)),
  verify: onStop => verifyCommand(onStop, process.argv.slice(3)),
})
