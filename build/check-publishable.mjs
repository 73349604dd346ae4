/** Refuses to publish while package.json has placeholders. npm runs this as `prepublishOnly`. */
import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const unset = ['author', 'bugs', 'homepage', 'repository'].filter((field) =>
  JSON.stringify(manifest[field] ?? 'OWNER').includes('OWNER'),
)
if (unset.length > 0) {
  console.error(`package.json: ${unset.join(', ')} still name OWNER; set them to the project that publishes`)
  process.exitCode = 1
}
