// Says where kube-proxy would send a connection to a Service now: it watches as kube-proxy does, joins slices and
// chooses endpoints by its code, and waits as long between two syncs, but writes no rules of the kernel.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/config"
	"k8s.io/kubernetes/pkg/proxy/runner"
)

// As cmd/kube-proxy selects.
const watched = "!service.kubernetes.io/service-proxy-name,!service.kubernetes.io/headless"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of an account that may list and watch Services and EndpointSlices")
	node := flag.String("node", "node-1", "the node on which it would run")
	// kube-proxy's --iptables-min-sync-period and --nftables-min-sync-period.
	period := flag.Duration("min-sync-period", time.Second, "the time between two syncs")
	flag.Parse()
	settings, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	fatal(err)
	client, err := kubernetes.NewForConfig(settings)
	fatal(err)

	rule := newRule(*node)
	rule.syncs = runner.NewBoundedFrequencyRunner("sync-runner", rule.sync, *period, 30*time.Second, time.Hour)
	rule.watch(client)
	go rule.syncs.Loop(context.Background().Done())

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(err)
	<-rule.synced
	fmt.Printf("{\"url\":%q}\n", "http://"+listener.Addr().String())
	fatal(http.Serve(listener, rule.routes()))
}

type rule struct {
	node     string
	services *proxy.ServiceChangeTracker
	slices   *proxy.EndpointsChangeTracker
	syncs    *runner.BoundedFrequencyRunner
	synced   chan struct{}

	lock                         sync.Mutex
	servicesListed, slicesListed bool
	servicePorts                 proxy.ServicePortMap
	endpoints                    proxy.EndpointsMap
	count                        int
}

func newRule(node string) *rule {
	return &rule{
		node:         node,
		services:     proxy.NewServiceChangeTracker(v1.IPv4Protocol, nil, nil),
		slices:       proxy.NewEndpointsChangeTracker(v1.IPv4Protocol, node, nil, nil),
		synced:       make(chan struct{}),
		servicePorts: make(proxy.ServicePortMap),
		endpoints:    make(proxy.EndpointsMap),
	}
}

func (r *rule) watch(client kubernetes.Interface) {
	ctx := context.Background()
	label := func(options *metav1.ListOptions) { options.LabelSelector = watched }
	slices := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(label))
	services := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			label(options)
			options.FieldSelector = fields.OneTermNotEqualSelector("spec.clusterIP", v1.ClusterIPNone).String()
		}))
	serviceConfig := config.NewServiceConfig(ctx, services.Core().V1().Services(), 0)
	serviceConfig.RegisterEventHandler(r)
	go serviceConfig.Run(ctx.Done())
	sliceConfig := config.NewEndpointSliceConfig(ctx, slices.Discovery().V1().EndpointSlices(), 0)
	sliceConfig.RegisterEventHandler(r)
	go sliceConfig.Run(ctx.Done())
	services.Start(ctx.Done())
	slices.Start(ctx.Done())
}

// sync makes the last changes the present rule, as kube-proxy writes them to the kernel.
func (r *rule) sync() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if !r.servicesListed || !r.slicesListed {
		return nil
	}
	r.servicePorts.Update(r.services)
	r.endpoints.Update(r.slices)
	r.count++
	if r.count == 1 {
		close(r.synced)
	}
	return nil
}

type answer struct {
	Endpoints []string `json:"endpoints"`
	Syncs     int      `json:"syncs"`
}

// routes answers GET /{namespace}/{service}/{port}: the port by its name or its number.
func (r *rule) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{namespace}/{service}/{port}", func(w http.ResponseWriter, request *http.Request) {
		name := types.NamespacedName{Namespace: request.PathValue("namespace"), Name: request.PathValue("service")}
		found, ok := r.chosen(name, request.PathValue("port"))
		if !ok {
			http.Error(w, "kube-proxy knows no such port of a Service", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(found)
	})
	return mux
}

func (r *rule) chosen(service types.NamespacedName, port string) (answer, bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for name, info := range r.servicePorts {
		if name.NamespacedName != service || (name.Port != port && strconv.Itoa(info.Port()) != port) {
			continue
		}
		cluster, local, _, _ := proxy.CategorizeEndpoints(r.endpoints[name], info, r.node, nil)
		chosen := cluster
		if info.InternalPolicyLocal() {
			chosen = local
		}
		found := answer{Endpoints: []string{}, Syncs: r.count}
		for _, endpoint := range chosen {
			found.Endpoints = append(found.Endpoints, endpoint.String())
		}
		return found, true
	}
	return answer{}, false
}

func (r *rule) OnServiceAdd(service *v1.Service) { r.OnServiceUpdate(nil, service) }
func (r *rule) OnServiceUpdate(old, service *v1.Service) {
	if r.services.Update(old, service) {
		r.syncs.Run()
	}
}
func (r *rule) OnServiceDelete(service *v1.Service) { r.OnServiceUpdate(service, nil) }
func (r *rule) OnServiceSynced()                    { r.listed(&r.servicesListed) }

func (r *rule) OnEndpointSliceAdd(slice *discovery.EndpointSlice)       { r.change(slice, false) }
func (r *rule) OnEndpointSliceUpdate(_, slice *discovery.EndpointSlice) { r.change(slice, false) }
func (r *rule) OnEndpointSliceDelete(slice *discovery.EndpointSlice)    { r.change(slice, true) }
func (r *rule) OnEndpointSlicesSynced()                                 { r.listed(&r.slicesListed) }

func (r *rule) change(slice *discovery.EndpointSlice, gone bool) {
	if r.slices.EndpointSliceUpdate(slice, gone) {
		r.syncs.Run()
	}
}

func (r *rule) listed(what *bool) {
	r.lock.Lock()
	*what = true
	r.lock.Unlock()
	r.syncs.Run()
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
