import * as vega from "vega";
import { compile } from "vega-lite";
import { expressionInterpreter } from "vega-interpreter";
import { carried } from "./data";
import { documents } from "./documents";
import { Page } from "./page";

const page = new Page(carried());
documents(page);
console.log(vega, compile, expressionInterpreter);
