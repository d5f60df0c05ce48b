import { stackServiceNames } from '@cobro/local-stack'
import { parse } from 'yaml'
import { checkQuery, parseQuery } from './check-query.ts'
import { samplesOf } from './scraped-metrics.ts'
import { readAlerts, readFromRoot, readPanels, writtenQueries } from './written-queries.ts'

const alerts = readAlerts()
const watched = stackServiceNames.filter(name => name !== 'acquirer-sandbox')

test.each(writtenQueries().map(({ where, expr }) => [where, expr]))('parses the query of %s', (_, expr) => {
  expect(() => parseQuery(expr)).not.toThrow()
})

test.each(alerts.map(rule => [rule.alert, rule] as const))(
  'gives alert %s a severity, a description and a runbook link',
  (name, rule) => {
    expect(rule).toEqual({
      alert: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
      expr: expect.any(String),
      for: expect.stringMatching(/^\d+[mh]$/),
      labels: { severity: expect.stringMatching(/^(?:page|ticket)$/) },
      annotations: {
        summary: expect.any(String),
        description: expect.stringContaining('$value'),
        runbook_url: `RUNBOOK.md#${name.toLowerCase()}`,
      },
    })
  },
)

test('has one runbook paragraph for each alert, in the same order', () => {
  const paragraphs = [...readFromRoot('RUNBOOK.md').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
  expect(paragraphs).toEqual(alerts.map(({ alert }) => alert))
})

test('pages for every alert whose runbook paragraph involves people the same day', () => {
  const urgent = readFromRoot('RUNBOOK.md')
    .split(/^##+ /m)
    .filter(paragraph => /\b(?:wake|woken|same day)\b/i.test(paragraph))
    .map(paragraph => paragraph.slice(0, paragraph.indexOf('\n')))
  const urgentAlerts = alerts.filter(({ alert }) => urgent.includes(alert))
  expect(urgentAlerts.length).toBeGreaterThan(5)
  for (const { alert, labels } of urgentAlerts) expect([alert, labels.severity]).toEqual([alert, 'page'])
})

test('knows every command that the runbook mentions', () => {
  const known = readFromRoot('packages/ops/src/commands.ts')
  for (const [, command] of readFromRoot('RUNBOOK.md').matchAll(/pnpm ops ([a-z-]+(?: [a-z-]*[a-z])?)/g))
    expect(known).toMatch(new RegExp(`^  '?${command}'?: `, 'm'))
})

test('scrapes every service under its name, and alerts when it is absent', () => {
  const { scrape_configs } = parse(readFromRoot('deploy/prometheus/prometheus.yml'))
  expect(scrape_configs.map(({ job_name }: { job_name: string }) => job_name)).toEqual(watched)
  const { expr = '' } = alerts.find(({ alert }) => alert === 'ServiceDown') ?? {}
  for (const name of watched) expect(expr).toContain(`absent(up{job="${name}"})`)
})

test('gives each dashboard panel a unique title, its own position and the selected datasource', () => {
  const panels = readPanels()
  for (const key of ['id', 'title'] as const) expect(new Set(panels.map(panel => panel[key])).size).toBe(panels.length)
  for (const { type, datasource } of panels)
    if (type !== 'row') expect(datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' })
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
})

test('shows every metric that ARCHITECTURE.md lists on the dashboard', () => {
  const listed = [...readFromRoot('ARCHITECTURE.md').matchAll(/^\| `cobro_.*$/gm)].flatMap(
    ([row]) => row.split('|')[1]?.match(/cobro_\w+/g) ?? [],
  )
  const shown = readPanels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(listed.length).toBeGreaterThan(20)
  expect(listed.filter(name => !shown.some(expr => expr.includes(name)))).toEqual([])
})

describe('checkQuery', () => {
  const labels = { queue: new Set(['a.events']), state: new Set(['ready', 'dead_letter']), le: new Set(['1']) }
  const metrics = new Map([
    ['depth', new Map(Object.entries(labels))],
    ['up', new Map([['job', new Set(['gateway'])]])],
  ])

  test.each([
    ['sum by (queue) (rate(depth{state=~"ready|dead.*"}[5m])) > 0', ['queue']],
    ['histogram_quantile(0.9, sum by (queue, le) (rate(depth[5m])))', ['queue']],
    ['max by (queue) (depth) / sum by (queue) (depth) > 1 unless sum by (queue) (depth) > 0', ['queue']],
    ['absent(up{job="gateway"})', ['job']],
    ['sum(depth) > 1', []],
    ['time()', []],
  ])('finds the labels of %s: %j', (query, expected) => {
    expect(checkQuery(query, metrics)).toEqual(expected)
  })

  test.each([
    ['sum by (queue) (depht)', 'no service exposes depht'],
    ['depth{queu="a.events"}', 'no label queu '],
    ['depth{state="raedy"}', 'state has never been raedy'],
    ['depth{state!~"ready|daed"}', 'state has never been'],
    ['sum by (job) (depth)', 'no label job '],
    ['sum by (state) (sum by (queue) (depth))', 'no label state '],
    ['histogram_quantile(0.9, sum by (queue) (rate(depth[5m])))', 'no label le '],
    ['sum by (queue) (depth) > 1 unless sum(depth) > 1', 'the sides have other labels'],
    ['depth * on (job) up', 'no label job '],
    ['sum by (queue) (depth', 'not well formed'],
    ['sum by queue (depth)', 'not well formed'],
  ])('rejects %s: %s', (query, fault) => {
    expect(() => checkQuery(query, metrics)).toThrow(fault)
  })

  test('reads the metrics of a scrape with their labels', () => {
    const text = '# TYPE a gauge\na 1 1700000000000\nb_total{x="1",y="say \\"hi\\", {you}"} +Inf\n'
    expect(samplesOf(text)).toEqual([
      ['a', {}, 1],
      ['b_total', { x: '1', y: 'say \\"hi\\", {you}' }, Number.POSITIVE_INFINITY],
    ])
  })
})
