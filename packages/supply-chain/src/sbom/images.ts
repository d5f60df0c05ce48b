/** An image that `deploy/docker/Dockerfile` builds, and the package that it contains. */
export interface Image {
  /** The target in the Dockerfile. */
  name: string
  package: string
  /** Whether the image contains optional dependencies. */
  optional: boolean
}

const service = (name: string): Image => ({ name, package: `@cobro/${name}`, optional: true })

/** All images. A test compares them with the targets of the Dockerfile. */
export const images: readonly Image[] = [
  service('gateway'),
  service('checkout'),
  service('transactions'),
  service('webhooks-dispatcher'),
  service('audit-log'),
  service('acquirer-sandbox'),
  { name: 'ops', package: '@cobro/ops', optional: false },
  { name: 'setup', package: '@cobro/local-stack', optional: false },
]
