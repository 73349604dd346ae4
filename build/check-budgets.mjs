/**
 * `node build/check-budgets.mjs <base>`: fails if a commit since `base` raises a number of `build/budgets.json` and gives
 * no reason, as a line of its message that begins with `Budget: `.
 */
import { execFileSync } from 'node:child_process'

const FILE = 'build/budgets.json'
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const base = process.argv[2]
if (!base) {
  console.error('Give the commit to compare with: node build/check-budgets.mjs origin/main')
  process.exit(64)
}

const raises = git('rev-list', '--reverse', '--no-merges', `${base}..HEAD`, '--', FILE)
  .split('\n')
  .filter(Boolean)
  .flatMap((commit) => {
    const [before, after] = [`${commit}^`, commit].map(budgetsAt)
    const raised = Object.keys(after).filter((name) => name in before && after[name] > before[name])
    if (raised.length === 0 || /^Budget: \S/m.test(git('log', '-1', '--format=%B', commit))) return []
    return raised.map((name) => `${commit.slice(0, 8)} raises ${name} from ${before[name]} to ${after[name]}`)
  })
for (const line of raises) console.error(`${line}; say what it is worth in a line "Budget: …" of the commit`)
process.exitCode = raises.length > 0 ? 1 : 0

/** Each number by its path, such as `words/docs`. A commit without the file has none. */
function budgetsAt(commit) {
  try {
    const groups = JSON.parse(git('show', `${commit}:${FILE}`))
    return Object.fromEntries(
      Object.entries(groups).flatMap(([group, limits]) =>
        Object.entries(limits).map(([name, limit]) => [`${group}/${name}`, limit]),
      ),
    )
  } catch {
    return {}
  }
}
