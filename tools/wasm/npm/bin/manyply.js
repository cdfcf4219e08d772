#!/usr/bin/env node
import { run } from '../command.js';

run(process.argv.slice(2));
