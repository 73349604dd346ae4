import { expect, test } from 'vitest'
import { filesIn, read } from '../support/source.js'

/** Names of files' exported values, where no other file says them; types stand for what a signature needs. */
function exportedForNobody(texts: ReadonlyMap<string, string>): string[] {
  const words = new Map([...texts].map(([path, text]) => [path, new Set(text.match(/[\w$]+/g))]))
  return [...texts]
    .filter(([path]) => path.startsWith('src/'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm)]
        .map(([, name]) => name!)
        .filter((name) => [...words].every(([other, said]) => other === path || !said.has(name)))
        .map((name) => `${path}: ${name}`),
    )
}

test('no value is exported that no other file uses', () => {
  const paths = [...filesIn('src'), ...filesIn('test', ['.ts', '.mjs'])]
  expect(exportedForNobody(new Map(paths.map((path) => [path, read(path)])))).toEqual([])
})

test('an unused one would be noticed', () => {
  const texts = new Map([
    ['src/a.ts', 'export const used = 1\nexport function unused() {}\nexport async function $late() {}'],
    ['src/b.ts', "import { used } from './a.js'\nexport type Shape = 1\nconst own = used"],
  ])
  expect(exportedForNobody(texts)).toEqual(['src/a.ts: unused', 'src/a.ts: $late'])
})
