// The name of a method by its request, as the server's instruments and activities have it: each method of the contract has a type of requests
// of its own (of health, Check comes first).
using System.Linq;

namespace Pile.Client.Calls;

/// <summary>The name of the method that takes a request.</summary>
/// <typeparam name="TRequest">The type of the request.</typeparam>
internal static class CallName<TRequest>
{
    /// <summary>Such as "pile.v1.Entries/Get".</summary>
    internal static string Text { get; } =
        (from service in new[] { V1.Entries.Descriptor, V1.Tables.Descriptor, V1.Admin.Descriptor, Grpc.Health.V1.Health.Descriptor }
         from method in service.Methods
         where method.InputType.ClrType == typeof(TRequest)
         select $"{service.FullName}/{method.Name}").First();
}
