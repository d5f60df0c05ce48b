/** A part of the navigation, with its pages in their order. */
export interface Chapter {
  name: string
  /** Addresses below `/docs`. */
  pages: readonly string[]
}

/** The navigation. A page that is in none of them fails the build. */
export function chaptersOf(apiPaths: readonly string[]): Chapter[] {
  return [
    { name: 'Start', pages: ['', 'quickstart', 'keys', 'guides/dashboard'] },
    {
      name: 'Payments',
      pages: [
        'guides/accept-a-payment',
        'guides/payment-links',
        'guides/cash',
        'guides/refunds',
        'guides/testing',
        'guides/reconciliation',
      ],
    },
    {
      name: 'Reliability',
      pages: ['guides/webhooks', 'guides/event-feed', 'guides/idempotency', 'guides/errors', 'guides/go-live'],
    },
    {
      name: 'Reference',
      pages: [
        'reference/conventions',
        'reference/events',
        'reference/errors',
        'reference/sdk',
        'reference/cli',
        'reference/scenario-files',
        'reference/changelog',
      ],
    },
    { name: 'API', pages: ['api/try', ...apiPaths] },
  ]
}

/** Returns the address of a page. */
export function addressOf(page: string): string {
  return page === '' ? '/docs' : `/docs/${page}`
}
