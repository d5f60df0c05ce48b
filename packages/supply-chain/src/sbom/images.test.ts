import { readFileSync } from 'node:fs'
import { images } from './images.ts'

const root = new URL('../../../../', import.meta.url)
const dockerfile = readFileSync(new URL('deploy/docker/Dockerfile', root), 'utf8')
const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)]

test('the images in the list are the targets of the Dockerfile', () => {
  const parts = ['workspace', 'runtime', 'service']
  const targets = stages.map(([, , name]) => name).filter(name => !parts.includes(name!))
  expect(images.map(({ name }) => name).toSorted()).toEqual(targets.toSorted())
})

test('the images contain the versions of the lockfile, and none that the build resolved', () => {
  const deployments = dockerfile.split('\n').filter(line => /^[^#]*pnpm --filter .* deploy /.test(line))
  expect(deployments).toHaveLength(3)
  expect(deployments.filter(line => !line.includes('--offline') || line.includes('--legacy'))).toEqual([])
})

test('every base image of the Dockerfile and of docker-compose.yml can be replaced by one with a digest', () => {
  const names = stages.map(([, , name]) => name)
  const bases = stages.map(([, base]) => base).filter(base => !names.includes(base))
  expect(new Set(bases)).toEqual(new Set(['$' + '{NODE_IMAGE}']))
  const compose = readFileSync(new URL('docker-compose.yml', root), 'utf8')
  const servers = [...compose.matchAll(/image: (?:\$\{\w+:-)?(node|postgres|rabbitmq):.*/g)].map(([line]) => line)
  expect(servers).toHaveLength(2)
  expect(servers.every(line => line.startsWith('image: ${'))).toBe(true)
})
