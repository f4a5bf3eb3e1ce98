using System;
using Microsoft.FSharp.Core;
using Microsoft.FSharp.Core.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs
{
    /// <summary>What F# compiled, whose library is not here: its bases are looked at by name.</summary>
    public sealed class RefusalsTests
    {
        [Fact]
        public void AFunctionOrSequenceThatFSharpCompiledIsRefusedWithThePath()
        {
            Type[] types = FSharpModule.TypesOfAnotherAssembly();
            foreach (Type type in types)
            {
                using ObjectPile pile = ObjectPile.Create();
                object code = Activator.CreateInstance(type)!;
                PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = code }));
                Assert.Equal("Holder.Held", refused.GraphPath);
            }

            using ObjectPile own = ObjectPile.Create();
            Assert.IsType<Own>(own.Get<Holder>(own.Put(new Holder { Held = new Own() })).Held);
        }

        internal sealed class Holder
        {
            public object? Held { get; set; }
        }

        /// <summary>One of the library's own assembly.</summary>
        internal sealed class Own : FSharpFunc<int, int>;
    }

    internal static class FSharpModule
    {
        /// <summary>A function and a sequence as a program's assembly has them.</summary>
        internal static Type[] TypesOfAnotherAssembly()
        {
            System.Reflection.Emit.ModuleBuilder module = System.Reflection.Emit.AssemblyBuilder
                .DefineDynamicAssembly(new System.Reflection.AssemblyName("Shop"), System.Reflection.Emit.AssemblyBuilderAccess.Run).DefineDynamicModule("Shop");
            return
            [
                module.DefineType("main@7-1", System.Reflection.TypeAttributes.Public, typeof(FSharpFunc<int, int>)).CreateType(),
                module.DefineType("rows@9", System.Reflection.TypeAttributes.Public, typeof(GeneratedSequenceBase<int>)).CreateType(),
            ];
        }
    }
}

#pragma warning disable IDE0130 // The names are F#'s.
namespace Microsoft.FSharp.Core
{
    /// <summary>The base of functions.</summary>
    public abstract class FSharpFunc<T, TResult>;
}

namespace Microsoft.FSharp.Core.CompilerServices
{
    /// <summary>The base of sequences.</summary>
    public abstract class GeneratedSequenceBase<T>;
}
