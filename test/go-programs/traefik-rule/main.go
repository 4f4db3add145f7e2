// Says among which servers Traefik would spread requests to a Service now: by its own provider of Ingresses, and as often
// as its configuration takes effect. Its load balancer sends new requests to no server that is fenced, which is one that ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/log"
	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/ingress"
	"github.com/traefik/traefik/v3/pkg/safe"
)

// The default of Traefik's providers.providersThrottleDuration.
const throttle = 2 * time.Second

func main() {
	log.Logger = zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	// KUBECONFIG names the cluster, as it does for Traefik.
	provider := &ingress.Provider{}
	messages := make(chan dynamic.Message, 100)
	fatal(provider.Init())
	fatal(provider.Provide(messages, safe.NewPool(context.Background())))
	var rule rule
	go rule.follow(messages)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(err)
	fmt.Printf("{\"url\":%q}\n", "http://"+listener.Addr().String())
	fatal(http.Serve(listener, rule.routes()))
}

type rule struct {
	lock     sync.Mutex
	services map[string]*dynamic.Service
}

// follow takes the newest configuration, and then none until the throttle's time is over.
func (r *rule) follow(messages <-chan dynamic.Message) {
	for message := range messages {
		for len(messages) > 0 {
			message = <-messages
		}
		r.lock.Lock()
		r.services = message.Configuration.HTTP.Services
		r.lock.Unlock()
		time.Sleep(throttle)
	}
}

// routes answers GET /{namespace}/{service}/{port}: the port as the Ingress names it.
func (r *rule) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{namespace}/{service}/{port}", func(w http.ResponseWriter, request *http.Request) {
		name := request.PathValue("namespace") + "-" + request.PathValue("service") + "-" + request.PathValue("port")
		r.lock.Lock()
		service, ok := r.services[name]
		r.lock.Unlock()
		if !ok {
			http.Error(w, "Traefik knows no such service", http.StatusNotFound)
			return
		}
		found := []string{}
		for _, server := range service.LoadBalancer.Servers {
			if parsed, err := url.Parse(server.URL); err == nil && !server.Fenced {
				found = append(found, parsed.Host)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string][]string{"endpoints": found})
	})
	return mux
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
