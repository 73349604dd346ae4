import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launchBrowser } from '../../../src/node/host/browser/launch-browser.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

// It counts which of both is noticed first: the end of the pipe must not be taken for a browser that stays silent, or one
// that finds no sandbox is never tried without.
test.skipIf(process.platform === 'win32')(
  'a browser that closes its pipe before it ends is told by how it ended',
  async () => {
    const folder = await temporaryFolder('launch')
    const path = join(folder, 'browser')
    await writeFile(path, '#!/bin/sh\nexec 3<&- 4>&-\nsleep 0.2\necho "ERROR: no screws left" >&2\nexit 3\n')
    await chmod(path, 0o755)
    const launched = launchBrowser({ path, flags: {}, deadline: 20_000, onWarning: () => undefined })
    await expect(launched).rejects.toThrow("doesn't start: exit code 3, ERROR: no screws left")
  },
)
