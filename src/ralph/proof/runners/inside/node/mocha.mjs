// The same for a mocha that is made of modules, which cannot be required by every Node.

import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { place, watch } = createRequire(import.meta.url)('./mocha.cjs')

const found = place()
if (found) watch((await import(pathToFileURL(found))).Runner)
