// grpc.reflection.v1: which services and messages there are. Grpc.Reflection answers; what stands here is how its method is bound.
// grpc.reflection.v1alpha, for older clients, is AlphaReflection.
using System.Collections.Generic;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Grpc.Reflection;

namespace Pile.Server.Calls;

/// <summary>Reflection.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class Reflection(IEnumerable<ServiceDescriptor> services) : ReflectionV1ServiceImpl(services);
