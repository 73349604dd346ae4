import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReports } from '../../../build/api-report.mjs'
import { read, root } from '../../support/source.js'

test('the API report of each entry shows its public types as they are', () => {
  const folder = 'build/api'
  const kept = Object.fromEntries(readdirSync(join(root, folder)).map((file) => [file, read(join(folder, file))]))
  expect(kept, 'Public types have changed. Renew their reports with `npm run docs:api`.').toEqual(apiReports(root))
})
