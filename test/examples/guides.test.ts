import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../deploy/support/validate.js'
import { documentsOf } from '../deploy/support/variants.js'
import { snippetsOf, type Snippet } from '../support/markdown.js'
import { read, root } from '../support/source.js'

/** The guides whose code is a server of its own, or pieces of the examples that they name. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  'counting-players': [],
  seats: ['player-capacity'],
  reuse: ['reuse'],
  matchmaker: ['matchmaker'],
  'many-sessions': ['high-density-counter', 'high-density-label'],
}

/** Lines without comments and indentation: a guide shows pieces, and leaves out what it says itself. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(#|\/\/)/.test(line))

const filesOf = (example: string): string[] =>
  readdirSync(join(root, 'examples', example))
    .filter((name) => /\.(yaml|mjs)$/.test(name))
    .map((name) => `\n${linesOf(read(join('examples', example, name))).join('\n')}\n`)

const isPiece = ({ code }: Snippet, files: readonly string[]): boolean =>
  files.some((file) => file.includes(`\n${linesOf(code).join('\n')}\n`))

describe.each(Object.entries(GUIDES))('the guide %s', (guide, examples) => {
  const snippets = snippetsOf(`docs/guides/${guide}.md`)
  const isWhole = ({ code }: Snippet): boolean => /^(apiVersion:|import )/m.test(code)

  test('has whole manifests that fit the platform', () => {
    for (const { code } of snippets.filter((snippet) => snippet.language === 'yaml' && isWhole(snippet))) {
      expect(documentsOf(code).flatMap(problemsOf)).toEqual([])
    }
  })

  test('shows pieces of examples as they are there', () => {
    const files = examples.flatMap(filesOf)
    const pieces = snippets.filter((snippet) => /^(yaml|js)$/.test(snippet.language) && !isWhole(snippet))
    expect(pieces.length > 0).toBe(examples.length > 0)
    expect(pieces.filter((piece) => !isPiece(piece, files)).map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })
})
