// Says of objects how healthy they are: by Argo CD's own check, and by a script in the interpreter that Argo CD runs.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/health"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type asked struct {
	Script string                    `json:"script"`
	Object unstructured.Unstructured `json:"object"`
}

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var all []asked
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		fail(err)
	}
	answers := make([]map[string]verdict, 0, len(all))
	for _, each := range all {
		answers = append(answers, map[string]verdict{"own": byArgo(&each.Object), "script": byScript(each)})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func byArgo(object *unstructured.Unstructured) verdict {
	found, err := health.GetResourceHealth(object, nil)
	if err != nil {
		fail(err)
	}
	return verdict{string(found.Status), found.Message}
}

// The libraries are those that Argo CD opens for a script of argocd-cm, but for os: no string, no math.
func byScript(each asked) verdict {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			fail(err)
		}
	}
	state.SetGlobal("obj", valueOf(state, each.Object.Object))
	if err := state.DoString(each.Script); err != nil {
		fail(err)
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		fail(fmt.Errorf("the script returned no table"))
	}
	return verdict{table.RawGetString("status").String(), table.RawGetString("message").String()}
}

func valueOf(state *lua.LState, value any) lua.LValue {
	switch of := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range of {
			table.RawSetString(key, valueOf(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range of {
			table.Append(valueOf(state, item))
		}
		return table
	case string:
		return lua.LString(of)
	case bool:
		return lua.LBool(of)
	case int64:
		return lua.LNumber(of)
	case float64:
		return lua.LNumber(of)
	}
	return lua.LNil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
