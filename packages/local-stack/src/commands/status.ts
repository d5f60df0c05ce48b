import { demoShopStatus } from '../demo-shop/demo-shop-file.ts'
import { stackDirectory, stackFiles } from '../layout/stack-paths.ts'
import { runCli } from '../machine/cli.ts'
import { speaksAmqp } from '../servers/amqp-probe.ts'
import { acceptsConnections } from '../servers/postgres-server.ts'
import { isReady } from '../services/service-program.ts'
import { readStack, type Stack } from '../stack/stack-file.ts'
import { latestMails } from './latest-mails.ts'

await runCli(async () => {
  const stack = readStack()
  if (!stack) {
    console.log('No stack is running: npm start starts one.')
    return 1
  }
  const parts = await checkParts(stack)
  for (const { name, up, where } of parts) console.log(`  ${up ? 'up  ' : 'DOWN'}  ${name.padEnd(22)}${where}`)
  const demoData = demoShopStatus(stackDirectory())
  if (demoData) console.log(`\n${demoData}`)
  const mails = latestMails(stackFiles(stackDirectory()).mail)
  if (mails.length > 0) console.log(`\nThe latest mails:\n${mails.join('\n')}`)
  return parts.every(part => part.up) ? 0 : 1
})

/** Checks every service and server of a stack. */
function checkParts(stack: Stack): Promise<{ name: string; up: boolean; where: string }[]> {
  const postgres = new URL(stack.postgres_url)
  const amqp = new URL(stack.amqp_url)
  const services = Object.entries(stack.services).map(async ([name, { url, pid }]) => ({
    name,
    up: await isReady(url),
    where: `${url}  process ${pid}`,
  }))
  return Promise.all([
    ...services,
    acceptsConnections(stack.postgres_url).then(up => ({ name: 'PostgreSQL', up, where: postgres.host })),
    speaksAmqp(Number(amqp.port || 5672), amqp.hostname).then(up => ({ name: 'RabbitMQ', up, where: amqp.host })),
  ])
}
